// Sentences: a choice of the run, a search that shows those with all its words, and an order.
"use strict";
(() => {
  const orders = {
    "largest change": (a, b) => Math.abs(b.dataset.change) - Math.abs(a.dataset.change),
    "largest gain": (a, b) => b.dataset.change - a.dataset.change,
    "largest loss": (a, b) => a.dataset.change - b.dataset.change,
    "order of the data": (a, b) => a.dataset.number - b.dataset.number,
  };

  const make = (name, parent, properties) => {
    const made = Object.assign(document.createElement(name), properties);
    parent.append(made);
    return made;
  };

  const enliven = () => {
    for (const tools of document.querySelectorAll(".tools[data-runs][hidden]")) {
      const runs = [...tools.parentElement.querySelectorAll("details.run")];
      const choice = make("select", tools, { ariaLabel: "Run" });
      for (const run of runs) {
        const summary = run.querySelector("summary"), name = summary.textContent;
        make("option", choice, { value: name, textContent: `Run: ${name}` });
        summary.hidden = true; // the choice says the same
      }
      const show = () => runs.forEach((run, i) => {
        run.hidden = i !== choice.selectedIndex;
        run.open ||= !run.hidden;
      });
      choice.addEventListener("change", show);
      show();
      tools.hidden = false;
    }
    for (const tools of document.querySelectorAll(".tools[data-for][hidden]")) {
      const list = document.getElementById(tools.dataset.for);
      const items = [...list.children];
      const texts = items.map((item) => item.textContent.toLowerCase());
      tools.setAttribute("role", "search");
      const search = make("input", tools, { type: "search", placeholder: "Search (press /)", ariaLabel: "Search the sentences" });
      const order = make("select", tools, { ariaLabel: "Order of the sentences" });
      for (const name of Object.keys(orders)) make("option", order, { textContent: name });
      const count = make("output", tools, { className: "note" });
      const filter = () => {
        const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
        let shown = 0;
        items.forEach((item, i) => {
          item.hidden = !words.every((word) => texts[i].includes(word));
          if (!item.hidden) shown++;
        });
        count.textContent = words.length ? `${shown} of ${items.length}` : "";
      };
      search.addEventListener("input", filter);
      search.addEventListener("keydown", (event) => {
        if (event.key !== "Escape") return;
        search.value = "";
        filter();
      });
      order.addEventListener("change", () => list.append(...[...items].sort(orders[order.value])));
      tools.hidden = false;
    }
  };
  document.addEventListener("hopefear:replaced", enliven);
  enliven();
})();
