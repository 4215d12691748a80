// Charts: numbers under the pointer or by arrow keys, legend entries that hide what they name, zoom
// by dragging or with + and -, which a button below the chart undoes.
"use strict";
(() => {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("role", "status"); // screen readers say what it shows
  document.body.append(tip);

  const numbers = (text) => text.split(" ").map(Number);
  const scale = (value, [a, b], [c, d]) => c + ((value - a) / (b - a)) * (d - c);
  const ordered = (a, b) => (a < b ? [a, b] : [b, a]);
  const set = (element, attributes) => {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const make = (name, parent, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    parent.append(made);
    return set(made, attributes);
  };

  // The same ticks as in svg.py: multiples of 1, 2 or 5 times a power of ten.
  const ticks = (low, high, steps, whole) => {
    const least = (0.75 * (high - low)) / steps;
    const power = 10 ** Math.floor(Math.log10(least));
    let step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least * (1 - 1e-9));
    if (whole) step = Math.max(step, 1);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const found = [];
    for (let i = Math.ceil(low / step); i <= Math.floor(high / step); i++) {
      const plain = !i || (step >= 1e-4 && step <= 1e6);
      found.push([i * step, plain ? (i * step).toFixed(digits) : (i * step).toPrecision(3)]);
    }
    return found;
  };

  class Chart {
    constructor(svg) {
      const [left, top, right, bottom] = numbers(svg.dataset.frame);
      this.svg = svg;
      this.plot = svg.querySelector("svg");
      this.frame = { x: [left, right], y: [top, bottom] };
      this.view = { ...this.frame }; // the part of the frame that a zoom shows
      this.ranges = { x: numbers(svg.dataset.x), y: numbers(svg.dataset.y).reverse() };
      this.named = "rows" in svg.dataset; // the y axis has names, and is not zoomed
      this.hidden = new Set();
      this.spots = []; // what has a text: its mark, place, size and text
      this.movers = []; // functions that draw an element again after a zoom
      for (const mark of this.plot.children) {
        for (const item of mark.children) {
          const curve = item.tagName === "path" && !item.hasAttribute("transform");
          if (curve) this.takeCurve(mark, item);
          else this.takeItem(mark, item);
        }
      }
      this.focus = make("circle", this.plot, { r: 7, class: "focus", visibility: "hidden" });
      this.listen();
      svg.querySelectorAll(".key").forEach((key) => this.takeKey(key));
      set(svg, { role: "group", tabindex: 0, "aria-description": "Arrow keys read its points." }); // it has parts now
      this.addKeys();
      this.addTools();
    }

    addTools() {
      const tools = document.createElement("div");
      set(tools, { class: "tools", role: "toolbar", "aria-label": this.svg.getAttribute("aria-label") });
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Reset zoom" });
      button.addEventListener("click", () => this.zoom((axis) => this.frame[axis]));
      tools.append(button);
      tools.hidden = true;
      this.tools = tools;
      this.svg.parentElement.after(tools);
    }

    addKeys() {
      let at = -1; // the spot that was shown last
      const step = (by) => {
        const shown = this.shown();
        if (!shown.length) return;
        at = at < 0 ? 0 : (at + by + shown.length) % shown.length;
        const seen = this.svg.getBoundingClientRect(), unit = seen.width / this.svg.viewBox.baseVal.width;
        const { x, y, width, height } = shown[at];
        const place = (axis, from, size) => this.move(axis, from + size / 2) * unit;
        this.point([shown[at]], seen.left + place("x", x, width), seen.top + place("y", y, height));
      };
      const scaled = (factor) => (axis) => {
        if (axis === "y" && this.named) return this.frame.y;
        const [low, high] = this.view[axis], half = ((high - low) / 2) * factor, middle = (low + high) / 2;
        return factor > 1 && 2 * half >= this.frame[axis][1] - this.frame[axis][0]
          ? this.frame[axis] : [middle - half, middle + half];
      };
      const acts = {
        ArrowRight: () => step(1), ArrowLeft: () => step(-1),
        "+": () => this.zoom(scaled(0.5)), "-": () => this.zoom(scaled(2)),
        Escape: () => { at = -1; this.zoom((axis) => this.frame[axis]); },
      };
      this.svg.addEventListener("keydown", (event) => {
        if (event.target !== this.svg || event.ctrlKey || event.metaKey || event.altKey) return;
        if (!(event.key in acts)) return;
        event.preventDefault();
        acts[event.key]();
      });
      this.svg.addEventListener("blur", () => this.forget());
    }

    move(axis, at) {
      return scale(at, this.view[axis], this.frame[axis]);
    }

    takeCurve(mark, path) {
      const steps = path.getAttribute("d");
      const points = [...steps.matchAll(/([ML])([-\d.]+) ([-\d.]+)/g)];
      const end = steps.endsWith("Z") ? "Z" : "";
      this.movers.push(() => {
        const moved = points.map(([, pen, x, y]) => `${pen}${this.move("x", x)} ${this.move("y", y)}`);
        path.setAttribute("d", moved.join("") + end);
      });
      if (!path.dataset.x) return;
      const [xs, ys] = [path.dataset.x.split(" "), path.dataset.y.split(" ")];
      points.forEach(([, , x, y], i) => {
        const text = `${mark.dataset.name}\n${this.svg.dataset.label} ${xs[i]}: ${ys[i]}`;
        this.spots.push({ mark, x: +x, y: +y, width: 0, height: 0, text });
      });
    }

    takeItem(mark, item) {
      const get = (name) => Number(item.getAttribute(name));
      const symbol = item.tagName === "path";
      const [x, y] = symbol
        ? numbers(item.getAttribute("transform").slice("translate(".length, -1))
        : item.tagName === "rect" ? [get("x"), get("y")] : [get("cx"), get("cy")];
      const [width, height] = [get("width"), get("height")];
      this.movers.push(() => {
        const [a, b] = [this.move("x", x), this.move("y", y)];
        if (symbol) return set(item, { transform: `translate(${a} ${b})` });
        if (item.tagName === "circle") return set(item, { cx: a, cy: b });
        const [c, d] = [this.move("x", x + width), this.move("y", y + height)];
        return set(item, { x: a, y: b, width: c - a, height: d - b });
      });
      const title = item.querySelector("title");
      if (!title) return;
      const text = [mark.dataset.name, title.textContent].filter(Boolean).join("\n");
      this.spots.push({ mark, x, y, width, height, text });
      title.remove(); // or the browser shows it, too
    }

    takeKey(key) {
      const name = key.dataset.name;
      const toggle = () => {
        if (!this.hidden.delete(name)) this.hidden.add(name);
        const off = this.hidden.has(name);
        key.setAttribute("aria-pressed", String(!off));
        for (const mark of this.plot.children) {
          if (mark.dataset.name === name) mark.style.display = off ? "none" : "";
        }
        this.forget();
      };
      set(key, { role: "button", tabindex: 0, "aria-pressed": "true" });
      key.addEventListener("click", toggle);
      key.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        toggle();
      });
    }

    place(event) {
      const seen = this.svg.getBoundingClientRect();
      const unit = seen.width / this.svg.viewBox.baseVal.width;
      return [(event.clientX - seen.left) / unit, (event.clientY - seen.top) / unit];
    }

    forget() {
      tip.hidden = true;
      this.focus.setAttribute("visibility", "hidden");
    }

    show(event) {
      const [x, y] = this.place(event);
      const away = (spot) => {
        const [a, b] = [this.move("x", spot.x), this.move("y", spot.y)];
        const [c, d] = [this.move("x", spot.x + spot.width), this.move("y", spot.y + spot.height)];
        return Math.hypot(Math.max(a - x, x - c, 0), Math.max(b - y, y - d, 0));
      };
      const near = this.shown().map((spot) => [away(spot), spot]).sort((a, b) => a[0] - b[0]);
      if (!near.length || near[0][0] > 25) return this.forget();
      const first = near[0][1];
      const same = ([, spot]) => Math.hypot(spot.x - first.x, spot.y - first.y) < 0.5;
      this.point(near.filter(same).slice(0, 5).map(([, spot]) => spot), event.clientX, event.clientY);
    }

    shown() {
      return this.spots.filter((spot) => !this.hidden.has(spot.mark.dataset.name));
    }

    // Show the texts of spots in the same place, beside a place on the screen.
    point(spots, x, y) {
      const first = spots[0];
      tip.textContent = spots.map((spot) => spot.text).join("\n\n");
      tip.hidden = false;
      const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
      tip.style.left = `${Math.max(8, Math.min(x + 14, room))}px`;
      const above = y - tip.offsetHeight - 14;
      tip.style.top = `${above > 8 ? above : y + 22}px`;
      const visibility = first.width ? "hidden" : "visible";
      set(this.focus, { visibility, cx: this.move("x", first.x), cy: this.move("y", first.y) });
    }

    listen() {
      let from = null, box = null; // where a drag begins, and the box that it spans
      const { x: [left, right], y: [top, bottom] } = this.frame;
      const within = (low, at, high) => Math.max(low, Math.min(at, high));
      const span = (event) => {
        const [x, y] = this.place(event);
        const xs = ordered(from[0], within(left, x, right));
        const ys = ordered(from[1], within(top, y, bottom));
        // A narrow or a flat box means all of that axis.
        const wide = xs[1] - xs[0] > 12, high = ys[1] - ys[0] > 12 && !this.named;
        return wide || high ? { x: wide ? xs : [left, right], y: high ? ys : [top, bottom] } : null;
      };
      const on = (name, act) => this.svg.addEventListener(name, act);
      on("pointerdown", (event) => {
        const [x, y] = this.place(event);
        const inside = x >= left && x <= right && y >= top && y <= bottom;
        if (event.pointerType !== "mouse" || event.button || !inside) return this.show(event);
        event.preventDefault();
        this.svg.setPointerCapture(event.pointerId);
        from = [x, y];
        box = make("rect", this.plot, { class: "choice" });
      });
      on("pointermove", (event) => {
        if (!from) return this.show(event);
        this.forget();
        const { x, y } = span(event) || { x: [0, 0], y: [0, 0] };
        set(box, { x: x[0], y: y[0], width: x[1] - x[0], height: y[1] - y[0] });
      });
      on("pointerup", (event) => {
        if (!from) return;
        const chosen = span(event);
        from = null;
        box.remove();
        if (chosen) this.zoom((axis) => chosen[axis].map((at) => scale(at, this.frame[axis], this.view[axis])));
      });
      on("dblclick", () => this.zoom((axis) => this.frame[axis]));
      on("pointerleave", () => this.forget());
    }

    zoom(part) {
      this.view = { x: part("x"), y: part("y") };
      this.tools.hidden = ["x", "y"].every((axis) => this.view[axis].every((at, i) => at === this.frame[axis][i]));
      this.forget();
      for (const mover of this.movers) mover();
      this.drawTicks("x");
      if (!this.named) this.drawTicks("y");
    }

    drawTicks(axis) {
      const { x: [left, right], y: [top, bottom] } = this.frame;
      const [frame, range, across] = [this.frame[axis], this.ranges[axis], axis === "x"];
      const ends = ordered(...this.view[axis].map((at) => scale(at, frame, range)));
      const texts = this.svg.querySelector(`.ticks-${axis}`);
      texts.replaceChildren();
      let lines = "";
      const log = across && "log" in this.svg.dataset; // then the range is of exponents of 10
      const whole = (across && "whole" in this.svg.dataset) || (log && ends[1] - ends[0] > 2);
      for (const [value, plain] of ticks(...ends, across ? 8 : 6, whole)) {
        const text = log ? String(Number((10 ** value).toPrecision(2))) : plain;
        const at = this.move(axis, scale(value, range, frame));
        const place = across ? { x: at, y: bottom + 16 } : { x: left - 8, y: at + 4 };
        make("text", texts, place).textContent = text;
        lines += across ? `M${at} ${top}V${bottom}` : `M${left} ${at}H${right}`;
      }
      this.svg.querySelector(`.grid-${axis}`).setAttribute("d", lines);
    }
  }

  const enliven = () => {
    tip.hidden = true;
    for (const svg of document.querySelectorAll("svg.chart:not([tabindex])")) new Chart(svg);
  };
  document.addEventListener("hopefear:replaced", enliven);
  enliven();
})();
