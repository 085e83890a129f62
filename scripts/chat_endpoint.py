"""Serve a causal model of transformers as an OpenAI-compatible endpoint on this machine.

It is for the demo and the tests of ``tactful audit chat``: one request at a time, no batching, no
cache. Every number comes from one plain pass of the model over the whole text.

    python scripts/chat_endpoint.py smollm2 --port 8099
    python scripts/chat_endpoint.py ./models/qwen.gguf --port 8099
"""

import argparse
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import click

from tactful.audit.hub import Opened, open_model

MOST_BYTES = 1 << 20
_MOST_TOKENS = 512
_MOST_TOP = 20


class BadRequestError(Exception):
    """A request that cannot be answered."""


@dataclass
class Served:
    """A model and what it was asked."""

    opened: Opened
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    _lock: Any = field(default_factory=threading.Lock)

    def answer(self, path: str, data: dict[str, Any]) -> dict[str, Any]:
        """Answer one request."""
        with self._lock:
            self.requests.append(data)
            if path.endswith("/chat/completions"):
                return self._chat(data)
            if path.endswith("/completions"):
                return self._read(data)
        raise BadRequestError("there is no such path")

    def _chat(self, data: dict[str, Any]) -> dict[str, Any]:
        tokenizer = self.opened.tokenizer
        context = tokenizer.apply_chat_template(
            data["messages"], add_generation_prompt=True, return_dict=True
        )["input_ids"]
        most = min(int(data.get("max_tokens") or 16), _MOST_TOKENS)
        top = min(int(data.get("top_logprobs") or 0), _MOST_TOP) if data.get("logprobs") else 0
        choices, used = [], 0
        for index in range(int(data.get("n") or 1)):
            seed = None if data.get("seed") is None else int(data["seed"]) + index
            tokens, first = self._generated(
                list(context), most, float(data.get("temperature") or 0), seed, max(1, top)
            )
            used += len(tokens)
            content = tokenizer.decode(tokens, skip_special_tokens=True)
            choice: dict[str, Any] = {
                "index": index,
                "message": {"role": "assistant", "content": content},
                "finish_reason": "length" if len(tokens) == most else "stop",
            }
            if top:
                listed = [{"token": tokenizer.decode([t]), "logprob": p} for t, p in first]
                choice["logprobs"] = {"content": [{**listed[0], "top_logprobs": listed}]}
            choices.append(choice)
        usage = {"prompt_tokens": len(context), "completion_tokens": used}
        return {"object": "chat.completion", "choices": choices, "usage": usage}

    def _generated(
        self, context: list[int], most: int, temperature: float, seed: int | None, top: int
    ) -> tuple[list[int], list[tuple[int, float]]]:
        import torch

        generator = torch.Generator().manual_seed(seed or 0)
        ends = self.opened.model.generation_config.eos_token_id
        ends = set(ends if isinstance(ends, list) else [ends]) | {
            self.opened.tokenizer.eos_token_id
        }
        tokens: list[int] = []
        first: list[tuple[int, float]] = []
        past, rest = None, context
        with torch.inference_mode():
            while len(tokens) < most:
                out = self.opened.model(
                    input_ids=torch.tensor([rest]), past_key_values=past, use_cache=most > 1
                )
                past = out.past_key_values
                logits = out.logits[0, -1].double()
                if not first:
                    values, places = logits.log_softmax(-1).topk(top)
                    first = list(zip(places.tolist(), values.tolist(), strict=True))
                if temperature:
                    chances = (logits / temperature).softmax(-1)
                    token = int(torch.multinomial(chances, 1, generator=generator))
                else:
                    token = int(logits.argmax())
                if token in ends:
                    break
                tokens.append(token)
                rest = [token]
        return tokens, first

    def _read(self, data: dict[str, Any]) -> dict[str, Any]:
        import torch

        if not data.get("echo") or data.get("max_tokens"):
            raise BadRequestError("only 'echo' with 'max_tokens' 0 is served")
        tokenizer = self.opened.tokenizer
        given = tokenizer(
            data["prompt"], return_offsets_mapping=True, return_special_tokens_mask=True
        )
        tokens, places = given["input_ids"], given["offset_mapping"]
        with torch.inference_mode():
            logits = self.opened.model(input_ids=torch.tensor([tokens])).logits[0].double()
        values = logits.log_softmax(-1)
        found = [None, *(float(values[at, tokens[at + 1]]) for at in range(len(tokens) - 1))]
        # Tokens that the tokenizer adds around a text are no part of it.
        own = [at for at, special in enumerate(given["special_tokens_mask"]) if not special]
        logprobs = {
            "tokens": [data["prompt"][slice(*places[at])] for at in own],
            "token_logprobs": [found[at] for at in own],
            "text_offset": [places[at][0] for at in own],
        }
        choice = {"index": 0, "text": data["prompt"], "logprobs": logprobs}
        return {"object": "text_completion", "choices": [choice]}


@contextmanager
def serving_model(opened: Opened, port: int = 0) -> Iterator[Served]:
    """Serve a model at ``/v1`` of a port of this machine; 0 is any free one."""
    served = Served(opened)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            status, said = 200, {}
            try:
                length = int(self.headers["Content-Length"])
                if length > MOST_BYTES:
                    raise BadRequestError("the request is too long")
                said = served.answer(self.path, json.loads(self.rfile.read(length)))
            except (BadRequestError, ValueError, KeyError, TypeError) as error:
                status, said = 400, {"error": {"message": type(error).__name__}}
            body = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Print nothing: requests hold texts and keys."""

    http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    served.url = f"http://127.0.0.1:{http.server_port}/v1"
    thread = threading.Thread(target=http.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield served
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("model", help="a folder, a gguf file or 'smollm2'")
    parser.add_argument("--port", type=int, default=8099)
    options = parser.parse_args()
    with serving_model(open_model("causal", options.model), options.port) as served:
        click.echo(f"Serving {served.opened.name} at {served.url}; press Ctrl-C to stop.")
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            click.echo("Stopped.")


if __name__ == "__main__":
    main()
