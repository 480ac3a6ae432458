"use strict";
// Marks the tables that are wider than the page, which then say that they scroll.
(function () {
  const mark = () => {
    for (const place of document.querySelectorAll(".wide"))
      place.classList.toggle("scrolls", place.scrollWidth > place.clientWidth + 1);
  };
  addEventListener("resize", mark);
  addEventListener("toggle", mark, true); // of details, where tables are hidden
  mark();
})();

// Draws every figure from the JSON that stands beside it, as SVG in the colours of the page, as wide as there is room.
(function () {
  const vega = globalThis.asifVega;
  if (!vega) return; // a page without figures
  const GAP = 70; // axis and space beside a panel
  const PANEL = 225; // the least that a panel with its axis takes
  const NARROW = 440;
  const PAPER = 680; // pixels across a page of A4 between its margins

  // Text and lines take the colour of the page's text, so that light, dark and print need no drawing anew.
  function dress(spec) {
    const config = spec.config || {};
    const ink = "currentColor";
    spec.config = Object.assign({}, config, {
      background: null,
      aria: false, // the figure as a whole has its words
      axis: Object.assign({}, config.axis, { labelColor: ink, titleColor: ink, domainColor: ink, tickColor: ink, gridColor: ink, gridOpacity: 0.15 }),
      legend: Object.assign({}, config.legend, { labelColor: ink, titleColor: ink }),
      title: Object.assign({}, config.title, { color: ink, subtitleColor: ink }),
      header: Object.assign({}, config.header, { labelColor: ink, titleColor: ink }),
    });
    delete spec.title; // it is the heading
    return spec;
  }

  // Legends stand below each other, and where it is narrow they have two columns.
  function legends(spec, width) {
    spec.config.legend.layout = { bottom: { anchor: "start", direction: "vertical" } };
    if (width < NARROW) spec.config.legend.columns = 2;
    return spec;
  }

  // One panel is as wide as the page; several (facet, concat) stand in as many columns as there is room for.
  function size(spec, width) {
    const panels = spec.concat || (spec.facet && [spec.spec]);
    if (!panels) {
      if (spec.height > width) spec.height = width;
      spec.width = width;
      spec.autosize = { type: "fit-x", contains: "padding" };
      return spec;
    }
    const most = spec.columns || 3;
    spec.columns = Math.max(1, Math.min(most, Math.floor(width / PANEL)));
    for (const panel of panels) panel.width = Math.max(120, Math.floor(width / spec.columns) - GAP);
    return spec;
  }

  function specOf(place, width) {
    return size(legends(dress(JSON.parse(document.getElementById(place.dataset.spec).textContent)), width), width);
  }

  // Made aside and then put in place: what was there before stays until then.
  async function draw(place, width) {
    const made = document.createElement("div");
    made.setAttribute("aria-hidden", "true");
    place.dataset.width = width;
    const result = await vega.embed(made, specOf(place, width), {
      mode: "vega-lite", renderer: "svg", ast: true, expr: vega.expressionInterpreter, actions: false,
      logLevel: 1, // errors
    });
    if (Number(place.dataset.width) !== width) { // another drawing was begun meanwhile
      result.finalize();
      return;
    }
    if (place.asifResult) place.asifResult.finalize();
    place.asifResult = result;
    place.replaceChildren(made);
    place.dataset.drawn = "yes";
    offer(place);
  }

  // Saving: links below the figure, made when they are asked for.
  function offer(place) {
    if (place.nextElementSibling.matches(".save")) return;
    const line = document.createElement("p");
    line.className = "save";
    for (const type of ["svg", "png"]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Save as " + type.toUpperCase();
      button.addEventListener("click", () => save(place, type));
      line.append(button);
    }
    place.after(line);
  }

  async function save(place, type) {
    const link = document.createElement("a");
    link.href = await place.asifResult.view.toImageURL(type, type === "png" ? 3 : 1);
    link.download = place.dataset.spec.replace(/^data-/, "") + "." + type;
    link.click();
  }

  const places = Array.from(document.querySelectorAll(".plot"));
  const widthOf = (place) => Math.floor(place.clientWidth);
  const all = (width) =>
    Promise.all(places.filter((p) => Number(p.dataset.width) !== (width || widthOf(p)) && widthOf(p) > 0)
      .map((p) => draw(p, width || widthOf(p)).catch((error) => { console.error(p.dataset.spec, error); })));

  let waiting;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(() => all(), 150); });
  addEventListener("beforeprint", () => all(PAPER));
  addEventListener("afterprint", () => all());
  all();
})();
