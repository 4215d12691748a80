// Puts interactive pictures in place of the drawn ones, in the colors of the page.
"use strict";
(() => {
  if (!window.Plotly) return;
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const places = document.querySelectorAll("[data-figure]");
  const painted = (node, style) => {
    if (Array.isArray(node)) return node.map((item) => painted(item, style));
    if (node === null || typeof node !== "object") return node;
    const copy = {};
    for (const [key, value] of Object.entries(node)) {
      const named = /color$/.test(key) && /^@(\w+)(?:\/([\d.]+))?$/.exec(value);
      copy[key] = named ? color(style, named[1], named[2]) : painted(value, style);
    }
    return copy;
  };
  const color = (style, name, opacity) => {
    const hex = style.getPropertyValue(/^\d/.test(name) ? `--c${name}` : `--${name}`).trim();
    if (!opacity) return hex;
    return hex + Math.round(255 * Number(opacity)).toString(16).padStart(2, "0");
  };
  const draw = () => {
    const style = getComputedStyle(document.documentElement);
    for (const place of places) {
      const { data, layout } = painted(figures[Number(place.dataset.figure)], style);
      if (!place.dataset.drawn) place.replaceChildren();
      place.dataset.drawn = "yes";
      Plotly.react(place, data, layout, { responsive: true, displaylogo: false });
    }
  };
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
})();
