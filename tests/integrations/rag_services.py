"""Run the snippets of docs/rag_service.md against the real libraries, and check what they write.

`python -m tests.integrations.rag_services FOLDER` takes the programs of an environment that has the
libraries, such as .venv/integrations/bin. Models are the libraries' fakes.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from groundwatch.launch.cli.main import main as groundwatch
from tests.support.outputs import records_in
from tests.support.repository import ROOT

PAGE = (ROOT / "docs" / "rag_service.md").read_text(encoding="utf-8")
QUESTION, ANSWER, FACT = "How long is it?", "The warranty is 3 years.", "The warranty is 2 years."
_LANGCHAIN = f"""
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import FakeListChatModel
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.vectorstores import InMemoryVectorStore

store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
store.add_documents([Document({FACT!r}, metadata={{"source": "lamps.md"}})])
retriever, model = store.as_retriever(), FakeListChatModel(responses=[{ANSWER!r}])
prompt = ChatPromptTemplate.from_template("{{context}} {{input}}")
"""
_LLAMA_INDEX = f"""
from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.llms import CompletionResponse, MockLLM


class Model(MockLLM):
    def complete(self, *_, **__):
        return CompletionResponse(text={ANSWER!r})


documents = [Document(text={FACT!r}, metadata={{"file_name": "lamps.md"}})]
index = VectorStoreIndex.from_documents(documents, embed_model=MockEmbedding(embed_dim=8))
query_engine = index.as_query_engine(llm=Model())
"""
# The section of each library, what its snippet needs, and the call.
_PROGRAMS = (
    ("LangChain", _LANGCHAIN, f"ask({QUESTION!r})"),
    ("LlamaIndex", _LLAMA_INDEX, f"ask({QUESTION!r})"),
)


def snippets(title: str) -> list[str]:
    """The Python blocks in a section of the page."""
    section = PAGE.partition(f"\n### {title}\n")[2].partition("\n##")[0]
    return re.findall(r"^```python\n(.*?)^```", section, re.DOTALL | re.MULTILINE)


def main(programs: str) -> int:
    """Run everything; return the exit status."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "answer_log.py").write_text(snippets("Plain logging")[0], encoding="utf-8")
        for title, setup, call in _PROGRAMS:
            program = f"{setup}\n{snippets(title)[0]}\nassert {call} == {ANSWER!r}"
            subprocess.run(  # noqa: S603 - the page's own snippet
                [f"{Path(programs).resolve()}/python", "-c", program], check=True, cwd=folder
            )
        arguments = ["--input", str(folder / "answers.jsonl"), "--output", str(folder / "out")]
        assert groundwatch(["backfill", *arguments]) == 0
        records = records_in(folder / "out")
    assert len(records) == len(_PROGRAMS), records
    for record in records:
        assert (record["verdict"], record["query"]) == ("LOW_GROUNDED", QUESTION), record
        assert [fact["text"] for fact in record["facts"]] == [FACT], record
    named = [record["facts"][0]["uri"] or record["facts"][0]["title"] for record in records]
    assert sorted(filter(None, named)) == ["lamps.md"] * 2, named
    sys.stdout.write("The snippets of LangChain and LlamaIndex write what is read.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
