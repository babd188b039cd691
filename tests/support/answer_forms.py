"""The forms in which chatbots write one statement: Markdown, HTML, citations, reasoning, JSON."""

import re

# ruff: noqa: RUF001 - the quotation marks of several languages are forms here

FORMS = r"""
X
**X**
*X*
__X__
_X_
***X***
~~X~~
`X`
"X"
“X”
‘X’
«X»
„X“
(X)
[X]
> X
- X
* X
• X
+ X
1. X
1) X
(1) X
a) X
- [ ] X
- [x] X
☑ X
# Refunds\n\nX
**Refunds**\nX
**Refunds:** X
### X
<p>X</p>
<div><span style="color: red">X</span></div>
<ul><li>X</li></ul>
<ol>\n<li>X</li>\n</ol>
X<br>
X<br/>\n<br/>
X\n\n<br>\n\n<hr>
<b>X</b>
<em>X</em>
<h2>Refunds</h2><p>X</p>
<!-- answer -->X
<html><head><style>p { margin: 14px }</style></head><body><p>X</p></body></html>
<script>let days = 99;</script>X
<details><summary>Refunds</summary>X</details>
<answer>X</answer>
<cite index="0-1">X</cite>
<source id="1">X</source>
<co: 0>X</co: 0>
<a href="https://shop.example/refunds-2024">X</a>
[X](https://shop.example/refunds-2024)
[X](https://shop.example/refunds "Refunds 2024")
| Topic | Rule |\n|---|---|\n| Refunds | X |
Topic | Rule\n--- | ---\nRefunds | X
| Rule |\n|:---:|\n| X |
<table><tr><th>Topic</th><th>Rule</th></tr><tr><td>Refunds</td><td>X</td></tr></table>
X[1]
X [1]
X[1][2]
X [7]
X[^1]
X[^1]\n\n[^1]: Refund policy, section 2
X [1]\n\n[1]: https://shop.example/refunds-2024
X【4:0†source】
X【1†faq.pdf】
X [doc1]
X [Source 1]
X [kb-123]
X (Source: faq.pdf, p. 3)
X (see page 12)
X (https://shop.example/refunds-2024)
X https://shop.example/refunds-2024
X See https://shop.example/refunds-2024/v7 for details.
X <https://shop.example/refunds-2024>
X[[1]](https://shop.example/refunds-2024)
X [policy-2.pdf#page=12][faq.pdf#page=1]
X<sup>1</sup>
X<sup><a href="#fn1">1</a></sup>
X¹
X ^1^
X {1}
X <1>
X<ref name="a">1</ref>
X citeturn0search0
X\ue200cite\ue202turn0search0\ue201
X\ue200cite\ue202turn0search0
[1] X
X\n\nSources:\n1. refunds_policy_v3.2.pdf (page 7)\n2. faq-2023.html
X\n\n**Sources**\n- [Refund policy](https://shop.example/refunds-2024)\n- Terms of 2023
X\n\nReferences:\n[1] Refund policy, updated May 2023\n[2] FAQ
X\n\nQuellen: faq.pdf, agb.pdf
X\n\nSource: https://shop.example/refunds-2024
X\n\n![refunds](https://shop.example/14.png)
X\n\n---
✅ X
❌ X
👉 X
X 🎉
💡 **Tip:** X
A: X
**A:** X
Answer: X
Assistant: X
**Answer:** X
Bot: X
Short answer: X
Note: X
<think>\n\n</think>\n\nX
<think>Is it 99 days? The user asks for it.</think>\nX
Is it 99 days?\n</think>\n\nX
<thinking>It may be 99 days.</thinking>X
<reasoning>99 days</reasoning>\nX
[THINK]99 days[/THINK]X
Thought: I now know the final answer\nFinal Answer: X
<tool_call>{"name": "search", "arguments": {"q": "99 days"}}</tool_call>\nX
{"answer": "X"}
{"answer": "X", "confidence": 0.93, "sources": ["faq.pdf"]}
```json\n{"answer": "X", "confidence": "high"}\n```
```\nX\n```
```markdown\nX\n```
X\n\n```python\nrefund(days=99)\n```
X<|im_end|>
&quot;X&quot;
&#8220;X&#8221;
X&nbsp;
\*X
"""
"""Each line is a form around a statement X, with line breaks and private-use signs escaped."""

FORMS_INSIDE = r"""
Refunds are paid within **N** days to the original card.
Refunds are paid within N&nbsp;days to the original card.
Refunds are paid within N&#32;days to the original card.
Refunds are paid within <strong>N days</strong> to the original card.
Refunds are paid within N *days* to the original card.
Refunds are paid within [N days](https://x.example/r7) to the original card.
Refunds are paid within <a href="https://x.example/r">N days</a> to the original card.
Refunds are paid within <span class="n7">N</span> days to the original card.
Refunds are paid within `N days` to the original card.
Refunds are paid [1] within N days [2] to the original card.
Refunds are paid within N days【4:0†source】 to the original card.
Refunds are paid within N days (Source: faq.pdf) to the original card.
Refunds are paid within N days<sup>1</sup> to the original card.
Refunds are paid (within N days) to the original card.
Refunds are paid [within N days] to the original card.
Refunds are paid within [N] days to the original card.
Refunds are paid within {N} days to the original card.
Refunds are paid within <N> days to the original card.
Refunds are paid within [N](https://x.example) days to the original card.
Refunds are paid within <cite>N days</cite> to the original card.
Refunds are paid within <source>N days</source> to the original card.
Refunds are paid within 【N days】 to the original card.
[Note: Refunds are paid within N days to the original card.]
"""
"""Each line has a form inside a statement with the number N."""


def _read(forms: str) -> str:
    escapes = {r"\n": "\n", r"\ue200": "\ue200", r"\ue201": "\ue201", r"\ue202": "\ue202"}
    for escape, char in escapes.items():
        forms = forms.replace(escape, char)
    return forms


def forms_around(statement: str) -> list[str]:
    """Return answers that state a statement, each in another form."""
    lines = FORMS.strip().split("\n")
    return [_read(line).replace("X", statement) for line in lines]


def forms_inside(number: str) -> list[str]:
    """Return answers with a statement that has a number, each in another form."""
    return [re.sub(r"\bN\b", number, line) for line in FORMS_INSIDE.strip().split("\n")]
