// The Agent Client Protocol from the client's side: JSON-RPC, one message a line, both ways. Never throws at what it is sent.
import { z } from "zod";

const Message = z.object({
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z
    .object({
      code: z.number().optional().catch(undefined),
      message: z.string().optional().catch(undefined),
      data: z.unknown().optional(),
    })
    .optional(),
});

/** What the agent answers when it will not, or cannot. */
export class AcpError extends Error {
  constructor(
    readonly method: string,
    readonly code: number | undefined,
    message: string,
  ) {
    super(message);
  }
}
/** It is gone, or took too long over what takes no time. */
export class AcpSilence extends Error {}

export interface Peer {
  write(line: string): void;
  /** The agent asks us: undefined is "no such method". */
  asked(method: string, params: unknown): object | undefined;
  told(method: string, params: unknown): void;
}

export class Connection {
  private lastId = 0;
  private readonly waiting = new Map<
    number | string,
    { method: string; ok(result: unknown): void; no(why: Error): void }
  >();
  private over: Error | undefined;

  constructor(private readonly peer: Peer) {}

  /** `limitMs`: absent where the answer takes as long as the work. */
  request(method: string, params: object, limitMs?: number): Promise<unknown> {
    if (this.over) return Promise.reject(this.over);
    const id = ++this.lastId;
    return new Promise((done, fail) => {
      const late = new AcpSilence(`no answer to ${method} after ${limitMs} ms`);
      const timer = limitMs === undefined ? undefined : setTimeout(() => settle(() => fail(late)), limitMs);
      const settle = (act: () => void) => {
        clearTimeout(timer);
        this.waiting.delete(id);
        act();
      };
      this.waiting.set(id, {
        method,
        ok: (result) => settle(() => done(result)),
        no: (why) => settle(() => fail(why)),
      });
      this.send({ id, method, params });
    });
  }
  notify(method: string, params: object): void {
    this.send({ method, params });
  }
  /** Nobody answers any more. */
  end(): void {
    this.over = new AcpSilence("the agent has gone");
    for (const { no } of [...this.waiting.values()]) no(this.over);
  }

  hear(value: unknown): void {
    const { data: message } = Message.safeParse(value);
    if (!message) return;
    const { id, method, params } = message;
    if (method === undefined) this.settle(message);
    else if (id === undefined) this.peer.told(method, params);
    else {
      const answer = this.peer.asked(method, params);
      this.send({ id, ...(answer ? { result: answer } : { error: { code: -32601, message: `no method ${method}` } }) });
    }
  }

  private settle({ id, result, error }: z.infer<typeof Message>): void {
    const entry = id === undefined ? undefined : this.waiting.get(id);
    if (!entry) return;
    if (error) entry.no(new AcpError(entry.method, error.code, wordsOf(error)));
    else entry.ok(result);
  }
  private send(message: object): void {
    this.peer.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

const DATA_CHARS_MAX = 500;
function wordsOf({ message = "", data }: { message?: string | undefined; data?: unknown }): string {
  const more = data === undefined || data === null ? "" : JSON.stringify(data).slice(0, DATA_CHARS_MAX);
  return more === "" || more === "{}" ? message : `${message} ${more}`;
}
