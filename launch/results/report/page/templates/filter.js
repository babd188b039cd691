"use strict";
(() => {
  const controls = document.getElementById("controls");
  const list = document.getElementById("list");
  if (!controls) return;
  const [engine, verdict, tag, words, order] = controls.querySelectorAll("select, input");
  const status = controls.querySelector("[role=status]");
  const omitted = document.getElementById("omitted");
  // Of all records, also those that are not on the page: engine, verdict, tags, and how many.
  const combinations = JSON.parse(controls.dataset.combinations);
  const answers = [...list.querySelectorAll(".answer")].map((element, place) => ({
    element,
    place,
    ...element.dataset,
    tags: element.dataset.tag.split(" "),
    records: Number(element.dataset.records),
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
    list.replaceChildren(...answers.map((answer) => answer.element));
  };
  const filter = () => {
    const wanted = words.value.toLowerCase().split(/\s+/);
    const isChosen = (answer) =>
      (!engine.value || answer.engine === engine.value) &&
      (!verdict.value || answer.verdict === verdict.value) &&
      (!tag.value || answer.tags.includes(tag.value));
    let shown = 0;
    let records = 0;
    for (const answer of answers) {
      const isShown = isChosen(answer) && wanted.every((word) => answer.text.includes(word));
      answer.element.hidden = !isShown;
      shown += isShown;
      records += isShown && answer.records;
    }
    const all = combinations
      .map(([e, v, t, n]) => ({ engine: `${e}`, verdict: `${v}`, tags: t.map(String), records: n }))
      .filter(isChosen)
      .reduce((sum, each) => sum + each.records, 0);
    const [shownWords, ...counts] = [shown, records, all].map((each) => each.toLocaleString("en"));
    status.textContent = words.value.trim()
      ? `Answers shown: ${shownWords}. Words are searched for on this page only.`
      : `Answers shown: ${shownWords}, for ${counts.join(" of ")} records.`;
    if (!omitted) return;
    const left = Math.max(all - records, 0);
    omitted.querySelector("span").textContent = `${left.toLocaleString("en")} records`;
    omitted.hidden = !left || words.value.trim() !== "";
  };
  // What is filtered or sorted is one list, in which nothing is folded.
  controls.addEventListener("input", sort);
  controls.addEventListener("input", filter);
  controls.querySelector("button").addEventListener("click", () => {
    for (const field of [engine, verdict, tag, words]) field.value = "";
    sort();
    filter();
    words.focus();
  });
  // On a phone the answers come first.
  controls.querySelector("details").open = matchMedia("(min-width: 40rem)").matches;
  controls.hidden = false;
  filter();
})();
