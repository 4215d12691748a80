// A page that is served while its runs go on: what has changed is replaced, the rest stays.
"use strict";
(() => {
  const INTERVAL = 2000;
  const main = document.getElementById("main");
  let version = document.documentElement.dataset.version;
  // Sections as they were written, before other scripts add to them: this script is the first.
  const written = new Map([...main.children].map((section) => [section.id, section.outerHTML]));

  const state = document.createElement("span");
  state.className = "note";
  state.setAttribute("role", "status");
  document.getElementById("tools").append(state);
  const say = (text) => { if (state.textContent !== text) state.textContent = text; };

  const name = (fold) => fold.querySelector("summary").textContent;
  // What can be focused in a section, by name: what is the same may be in another place afterwards.
  const places = (section) => {
    const found = new Map();
    for (const place of section.querySelectorAll("input, select, button, [tabindex], summary")) {
      let key = place.tagName + (place.ariaLabel || place.textContent);
      while (found.has(key)) key += "+";
      found.set(key, place);
    }
    return found;
  };
  const kept = (section) => ({
    open: new Set([...section.querySelectorAll("details[open]")].map(name)),
    hidden: [...section.querySelectorAll(".key[aria-pressed=false]")].map((key) => key.dataset.name),
    fields: [...section.querySelectorAll("input, select")].map((field) => field.value),
    focused: [...places(section)].find(([, place]) => place === document.activeElement)?.[0],
  });
  const restore = (section, old) => {
    for (const fold of section.querySelectorAll("details")) fold.open = old.open.has(name(fold));
    for (const key of section.querySelectorAll(".key")) {
      if (old.hidden.includes(key.dataset.name)) key.dispatchEvent(new Event("click"));
    }
    section.querySelectorAll("input, select").forEach((field, i) => {
      if (old.fields[i] === undefined || old.fields[i] === field.value) return;
      field.value = old.fields[i];
      field.dispatchEvent(new Event(field.tagName === "INPUT" ? "input" : "change"));
    });
    places(section).get(old.focused)?.focus({ preventScroll: true });
  };

  const replace = (text) => {
    const next = new DOMParser().parseFromString(text, "text/html");
    version = next.documentElement.dataset.version;
    document.title = next.title;
    document.querySelector("header p").textContent = next.querySelector("header p").textContent;
    // The section at the top of the screen stays where it is.
    const seen = [...main.children].filter((section) => section.getBoundingClientRect().top <= 1).at(-1);
    const [anchor, at] = [seen?.id, seen?.getBoundingClientRect().top];
    const sections = [...next.getElementById("main").children];
    const changed = new Map();
    for (const section of [...main.children]) {
      if (!sections.some((one) => one.id === section.id)) section.remove();
    }
    sections.forEach((section, i) => {
      const source = section.outerHTML;
      const old = document.getElementById(section.id);
      if (old && written.get(section.id) === source) return;
      written.set(section.id, source);
      const made = document.adoptNode(section);
      if (old) {
        changed.set(made, kept(old));
        old.replaceWith(made);
      } else main.insertBefore(made, main.children[i] || null);
    });
    document.querySelector("nav")?.replaceChildren(...(next.querySelector("nav")?.children || []));
    document.dispatchEvent(new Event("hopefear:replaced"));
    for (const [section, old] of changed) restore(section, old);
    const moved = anchor && document.getElementById(anchor);
    if (moved) scrollBy({ top: moved.getBoundingClientRect().top - at, behavior: "instant" });
  };

  const ask = async () => {
    try {
      if (!document.hidden) {
        const answer = await fetch("/", { cache: "no-store", headers: { "If-None-Match": `"${version}"` } });
        if (answer.status === 200) replace(await answer.text());
        say(answer.ok || answer.status === 304 ? "Live" : `Not updated: ${answer.status}`);
      }
    } catch {
      say("Not updated any more: the server has ended");
    }
    setTimeout(ask, INTERVAL);
  };
  setTimeout(ask, INTERVAL);
})();
