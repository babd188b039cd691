"use strict";
(() => {
  const controls = document.getElementById("controls");
  const list = document.getElementById("list");
  if (!controls) return;
  const [engine, verdict, tag, words, order] = controls.querySelectorAll("select, input");
  const status = controls.querySelector("[role=status]");
  const answers = [...list.children].map((element, place) => ({
    element,
    place,
    ...element.dataset,
    tags: element.dataset.tag.split(" "),
    text: element.textContent.toLowerCase(),
  }));
  // Answers without a time come last.
  const byTime = (sign) => (a, b) => (a.time === "") - (b.time === "") || sign * (a.time - b.time);
  const orders = {
    score: () => 0,
    newest: byTime(-1),
    oldest: byTime(1),
    engine: (a, b) => a.engine - b.engine,
  };
  const sort = () => {
    answers.sort((a, b) => orders[order.value](a, b) || a.place - b.place);
    list.append(...answers.map((answer) => answer.element));
  };
  const filter = () => {
    const wanted = words.value.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const answer of answers) {
      const isShown =
        (!engine.value || answer.engine === engine.value) &&
        (!verdict.value || answer.verdict === verdict.value) &&
        (!tag.value || answer.tags.includes(tag.value)) &&
        wanted.every((word) => answer.text.includes(word));
      answer.element.hidden = !isShown;
      shown += isShown;
    }
    status.textContent = `${shown} of ${answers.length} answers shown`;
  };
  controls.addEventListener("input", filter);
  order.addEventListener("input", sort);
  controls.querySelector("button").addEventListener("click", () => {
    for (const field of [engine, verdict, tag, words]) field.value = "";
    filter();
    words.focus();
  });
  controls.hidden = false;
  filter();
})();
