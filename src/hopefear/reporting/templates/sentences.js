// Sentences: a search that shows those with all its words, and an order.
"use strict";
(() => {
  // The first is the order in which the page has them; `change` is that of a chosen run.
  const orders = {
    "runs differ most": (a, b) => b.dataset.spread - a.dataset.spread,
    "largest change": (a, b, change) => Math.abs(change(b)) - Math.abs(change(a)),
    "largest gain": (a, b, change) => change(b) - change(a),
    "largest loss": (a, b, change) => change(a) - change(b),
    "order of the data": (a, b) => a.dataset.number - b.dataset.number,
  };

  const make = (name, properties) => Object.assign(document.createElement(name), properties);

  const enliven = () => {
    for (const tools of document.querySelectorAll(".tools[data-for][hidden]")) {
      const list = document.getElementById(tools.dataset.for);
      const items = [...list.children];
      const texts = items.map((item) => item.textContent.toLowerCase());
      tools.setAttribute("role", "search");
      const run = tools.querySelector("select"); // if there are several
      const search = make("input", { type: "search", placeholder: "Search (press /)", ariaLabel: "Search the sentences" });
      const order = make("select", { ariaLabel: "Order of the sentences" });
      const names = Object.keys(orders).slice(run ? 0 : 1);
      order.append(...names.map((textContent) => make("option", { textContent })));
      tools.prepend(search, order);
      const count = make("output", { className: "note" });
      tools.append(count);
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
      const sort = () => {
        if (run) run.hidden = !order.value.startsWith("largest");
        const change = (item) => Number(item.dataset.changes.split(" ")[run ? run.selectedIndex : 0]);
        list.append(...[...items].sort((a, b) => orders[order.value](a, b, change)));
      };
      order.addEventListener("change", sort);
      run?.addEventListener("change", sort);
      if (run) run.hidden = true;
      tools.hidden = false;
    }
  };
  document.addEventListener("hopefear:replaced", enliven);
  enliven();
})();
