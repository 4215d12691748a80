// The page as a whole: its toolbar, the current entry of the contents, and keys.
"use strict";
(() => {
  const tools = document.getElementById("tools");
  const button = (text, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", act);
    tools.append(made);
    return made;
  };

  // Storage may be forbidden, as it is for files in some browsers.
  const remember = (value) => {
    try {
      localStorage.setItem("hopefear-theme", value);
    } catch {}
  };
  const remembered = () => {
    try {
      return localStorage.getItem("hopefear-theme");
    } catch {
      return null;
    }
  };
  const themes = ["system", "light", "dark"];
  let theme = themes.includes(remembered()) ? remembered() : "system";
  const toggle = button("", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    remember(theme);
    show();
  });
  const show = () => {
    document.documentElement.style.colorScheme = theme === "system" ? "" : theme;
    toggle.textContent = `Colors: ${theme}`;
  };
  show();

  const folds = () => [...document.querySelectorAll("main details")];
  const open = button("Open all", () => {
    const all = folds();
    const some = all.some((fold) => !fold.open);
    for (const fold of all) fold.open = some;
    open.textContent = some ? "Close all" : "Open all";
  });
  button("Print", () => window.print());
  tools.hidden = false;

  // The current section is the last one that begins above the middle of the screen.
  const mark = () => {
    const links = [...document.querySelectorAll("nav a")];
    const above = links.filter((link) => {
      const section = document.getElementById(link.hash.slice(1));
      return section && section.getBoundingClientRect().top < innerHeight / 2;
    });
    for (const link of links) link.removeAttribute("aria-current");
    above.at(-1)?.setAttribute("aria-current", "true");
  };
  let asked = false;
  addEventListener("scroll", () => {
    if (!asked) requestAnimationFrame(() => { asked = false; mark(); });
    asked = true;
  }, { passive: true });
  document.addEventListener("hopefear:replaced", mark);
  mark();

  // "/" goes to the search, unless something is being typed.
  addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName);
    const search = [...document.querySelectorAll("main input[type=search]")].find((one) => one.offsetParent);
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey || !search) return;
    event.preventDefault();
    search.focus();
  });
})();
