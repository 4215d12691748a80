// Charts: figures under the pointer, legend entries that hide what they name, zoom by dragging.
"use strict";
(() => {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  document.body.append(tip);

  const numbers = (text) => text.split(" ").map(Number);
  const make = (name, parent, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    parent.append(made);
    return made;
  };

  // The same ticks as svg.py: multiples of 1, 2 or 5 times a power of ten.
  const ticks = (low, high, steps, whole) => {
    const least = (0.75 * (high - low)) / steps;
    const power = 10 ** Math.floor(Math.log10(least));
    let step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least * (1 - 1e-9));
    if (whole) step = Math.max(step, 1);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const found = [];
    for (let i = Math.ceil(low / step); i <= Math.floor(high / step); i++) {
      const value = i * step;
      const plain = !value || (step >= 1e-4 && step <= 1e6);
      found.push([value, plain ? value.toFixed(digits) : value.toPrecision(3)]);
    }
    return found;
  };

  const enliven = (chart) => {
    const [left, top, right, bottom] = numbers(chart.dataset.frame);
    const plot = chart.querySelector("svg");
    const ranges = { x: numbers(chart.dataset.x), y: numbers(chart.dataset.y) };
    const named = "rows" in chart.dataset; // the y axis has names, and is not zoomed
    const hidden = new Set();
    const spots = []; // what has a text: {mark, x, y, width, height, text}
    const movers = []; // what redraws an element after a zoom
    const view = { x: [left, right], y: [top, bottom] }; // the part of the chart that is shown
    const moveX = (x) => left + ((x - view.x[0]) / (view.x[1] - view.x[0])) * (right - left);
    const moveY = (y) => top + ((y - view.y[0]) / (view.y[1] - view.y[0])) * (bottom - top);

    const takeCurve = (mark, path) => {
      const steps = path.getAttribute("d");
      const parts = [...steps.matchAll(/([ML])([-\d.]+) ([-\d.]+)/g)];
      const end = steps.endsWith("Z") ? "Z" : "";
      movers.push(() => {
        const moved = parts.map(([, pen, x, y]) => `${pen}${moveX(+x)} ${moveY(+y)}`);
        path.setAttribute("d", moved.join("") + end);
      });
      if (!path.dataset.x) return;
      const [xs, ys] = [path.dataset.x.split(" "), path.dataset.y.split(" ")];
      parts.forEach(([, , x, y], i) => {
        const text = `${mark.dataset.name}\n${chart.dataset.label} ${xs[i]}: ${ys[i]}`;
        spots.push({ mark, x: +x, y: +y, width: 0, height: 0, text });
      });
    };
    const takeItem = (mark, item) => {
      const get = (name) => Number(item.getAttribute(name));
      const box = item.tagName === "rect";
      const at = item.getAttribute("transform");
      let [x, y] = [get(box ? "x" : "cx"), get(box ? "y" : "cy")];
      if (at) [x, y] = numbers(at.slice("translate(".length, -1));
      const [width, height] = [get("width"), get("height")];
      movers.push(() => {
        const [a, b] = [moveX(x), moveY(y)];
        if (at) item.setAttribute("transform", `translate(${a} ${b})`);
        else item.setAttribute(box ? "x" : "cx", a), item.setAttribute(box ? "y" : "cy", b);
        if (box) item.setAttribute("width", moveX(x + width) - a);
        if (box) item.setAttribute("height", moveY(y + height) - b);
      });
      const title = item.querySelector("title");
      if (!title) return;
      const name = mark.dataset.name ? `${mark.dataset.name}\n` : "";
      spots.push({ mark, x, y, width, height, text: name + title.textContent });
      title.remove(); // else the browser would show it, too
    };
    for (const mark of plot.children) {
      for (const item of mark.children) {
        const curve = item.tagName === "path" && !item.hasAttribute("transform");
        (curve ? takeCurve : takeItem)(mark, item);
      }
    }

    // The figures under the pointer.
    const focus = make("circle", plot, { r: 7, class: "focus", visibility: "hidden" });
    const place = (event) => {
      const seen = chart.getBoundingClientRect();
      const scale = seen.width / chart.viewBox.baseVal.width;
      return [(event.clientX - seen.left) / scale, (event.clientY - seen.top) / scale];
    };
    const forget = () => {
      tip.hidden = true;
      focus.setAttribute("visibility", "hidden");
    };
    const show = (event) => {
      const [x, y] = place(event);
      const shown = spots.filter((spot) => !hidden.has(spot.mark.dataset.name));
      const away = (spot) => {
        const [a, b] = [moveX(spot.x), moveY(spot.y)];
        const [c, d] = [moveX(spot.x + spot.width), moveY(spot.y + spot.height)];
        return Math.hypot(Math.max(a - x, x - c, 0), Math.max(b - y, y - d, 0));
      };
      const nearest = shown.map((spot) => [away(spot), spot]).sort((a, b) => a[0] - b[0]);
      if (!nearest.length || nearest[0][0] > 25) return forget();
      const [, first] = nearest[0];
      const same = ([, spot]) => Math.hypot(spot.x - first.x, spot.y - first.y) < 0.5;
      tip.textContent = nearest.filter(same).slice(0, 5).map(([, spot]) => spot.text).join("\n\n");
      tip.hidden = false;
      const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
      tip.style.left = `${Math.max(8, Math.min(event.clientX + 14, room))}px`;
      const above = event.clientY - tip.offsetHeight - 14;
      tip.style.top = `${above > 8 ? above : event.clientY + 22}px`;
      focus.setAttribute("visibility", first.width ? "hidden" : "visible");
      focus.setAttribute("cx", moveX(first.x));
      focus.setAttribute("cy", moveY(first.y));
    };

    // Zoom: drag to choose a part, double-click to see all.
    const drawTicks = (axis, from, to, put) => {
      const [low, high] = ranges[axis];
      const all = axis === "x" ? [left, right] : [bottom, top];
      const value = (at) => low + ((at - all[0]) / (all[1] - all[0])) * (high - low);
      const position = (v) => all[0] + ((v - low) / (high - low)) * (all[1] - all[0]);
      const texts = chart.querySelector(`.ticks-${axis}`);
      texts.replaceChildren();
      const whole = axis === "x" && "whole" in chart.dataset;
      const lines = ticks(value(from), value(to), axis === "x" ? 8 : 6, whole).map(([v, text]) => {
        const [place, line] = put(position(v));
        make("text", texts, place).textContent = text;
        return line;
      });
      chart.querySelector(`.grid-${axis}`).setAttribute("d", lines.join(""));
    };
    const redraw = () => {
      forget();
      for (const mover of movers) mover();
      drawTicks("x", ...view.x, (at) => {
        const x = moveX(at);
        return [{ x, y: bottom + 16 }, `M${x} ${top}V${bottom}`];
      });
      if (named) return;
      drawTicks("y", view.y[1], view.y[0], (at) => {
        const y = moveY(at);
        return [{ x: left - 8, y: y + 4 }, `M${left} ${y}H${right}`];
      });
    };
    let chosen = null; // what is being dragged: {x, y, box}
    const within = (low, at, high) => Math.max(low, Math.min(at, high));
    const span = (event) => {
      const [x, y] = place(event);
      const xs = [chosen.x, within(left, x, right)].sort((a, b) => a - b);
      const ys = [chosen.y, within(top, y, bottom)].sort((a, b) => a - b);
      // A flat or a narrow choice means all of the other axis.
      if (xs[1] - xs[0] < 12) xs.splice(0, 2, left, right);
      if (named || ys[1] - ys[0] < 12) ys.splice(0, 2, top, bottom);
      return [xs, ys];
    };
    chart.addEventListener("pointerdown", (event) => {
      const [x, y] = place(event);
      const inside = x >= left && x <= right && y >= top && y <= bottom;
      if (event.pointerType !== "mouse" || event.button !== 0 || !inside) return;
      event.preventDefault();
      chart.setPointerCapture(event.pointerId);
      chosen = { x, y, box: make("rect", plot, { class: "choice" }) };
    });
    chart.addEventListener("pointermove", (event) => {
      if (!chosen) return show(event);
      forget();
      const [xs, ys] = span(event);
      const size = { x: xs[0], y: ys[0], width: xs[1] - xs[0], height: ys[1] - ys[0] };
      for (const [key, value] of Object.entries(size)) chosen.box.setAttribute(key, value);
    });
    chart.addEventListener("pointerup", (event) => {
      if (!chosen) return;
      const [xs, ys] = span(event);
      chosen.box.remove();
      chosen = null;
      if (xs[0] === left && xs[1] === right && ys[0] === top && ys[1] === bottom) return;
      const back = (shown, low, high) => (at) =>
        shown[0] + ((at - low) / (high - low)) * (shown[1] - shown[0]);
      view.x = xs.map(back(view.x, left, right));
      view.y = ys.map(back(view.y, top, bottom));
      redraw();
    });
    chart.addEventListener("dblclick", () => {
      view.x = [left, right];
      view.y = [top, bottom];
      redraw();
    });
    chart.addEventListener("pointerdown", show);
    chart.addEventListener("pointerleave", forget);

    // The legend.
    for (const key of chart.querySelectorAll(".key")) {
      const toggle = () => {
        const name = key.dataset.name;
        if (!hidden.delete(name)) hidden.add(name);
        const off = hidden.has(name);
        key.setAttribute("aria-pressed", String(!off));
        for (const mark of plot.children) {
          if (mark.dataset.name === name) mark.style.display = off ? "none" : "";
        }
        forget();
      };
      for (const [name, value] of [["role", "button"], ["tabindex", "0"], ["aria-pressed", "true"]])
        key.setAttribute(name, value);
      key.addEventListener("click", toggle);
      key.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        toggle();
      });
    }
    chart.setAttribute("role", "group"); // it has parts now
  };
  document.querySelectorAll("svg.chart").forEach(enliven);
})();
