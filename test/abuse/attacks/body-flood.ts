import { request } from 'node:http';
import { brotliCompressSync } from 'node:zlib';

/** What a flood came to. */
export interface FloodReport {
  readonly seconds: number;
  readonly sent: number;
  /** By status; `none` for connections that ended without an answer. */
  readonly answers: Readonly<Record<string, number>>;
}

/** Requests whose answer is not there yet; more are not begun. */
const MAX_OPEN = 400;

const JSON_TYPE = { 'content-type': 'application/json' };

interface Body {
  readonly headers: Record<string, string>;
  readonly bytes: Buffer;
  /** Sends one byte every half second. */
  readonly isSlow?: boolean;
}

const DEPTH = 8_000;
const deep = Buffer.from(`{"email":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`);
const wide = Buffer.from(
  JSON.stringify(Object.fromEntries(Array.from({ length: 1_200 }, (_, i) => [`field${i}`, i]))),
);
const compressed = brotliCompressSync(Buffer.from(JSON.stringify({ email: 'x'.repeat(2_000_000) })));

const BODIES: readonly Body[] = [
  { headers: JSON_TYPE, bytes: deep },
  { headers: JSON_TYPE, bytes: wide },
  { headers: { ...JSON_TYPE, 'content-encoding': 'br' }, bytes: compressed },
  { headers: { ...JSON_TYPE, 'content-length': '1000' }, bytes: Buffer.from('{'), isSlow: true },
];

/** Posts hostile bodies to `auth/login` at a steady rate; a program of its own, so that it slows nobody's clock. */
async function flood(url: string, localAddress: string, perSecond: number, seconds: number): Promise<void> {
  const answers: Record<string, number> = {};
  let [sent, open] = [0, 0];
  const send = ({ headers, bytes, isSlow }: Body) => {
    sent++;
    open++;
    const call = request(`${url}/api/v1/auth/login`, { method: 'POST', headers, localAddress, agent: false });
    const dribble = setInterval(() => isSlow && call.write(' '), 500);
    let isCounted = false;
    const count = (status: string) => {
      clearInterval(dribble);
      if (isCounted) return;
      isCounted = true;
      open--;
      answers[status] = (answers[status] ?? 0) + 1;
    };
    call.on('response', (answer) => {
      count(String(answer.statusCode));
      answer.resume();
      if (isSlow) call.destroy();
    });
    call.on('error', () => {
      count('none');
    });
    if (isSlow) call.write(bytes);
    else call.end(bytes);
  };
  const report = (lasted: number) => process.send?.({ seconds: lasted, sent, answers } satisfies FloodReport);
  report(0);
  const begun = performance.now();
  for (let index = 0; ; index++) {
    const elapsed = performance.now() - begun;
    if (elapsed >= seconds * 1_000) break;
    const due = (index * 1_000) / perSecond - elapsed;
    if (due > 0) await new Promise((resolve) => setTimeout(resolve, due));
    const body = BODIES[index % BODIES.length];
    if (body && open < MAX_OPEN) send(body);
  }
  process.send?.({ seconds: (performance.now() - begun) / 1_000, sent, answers } satisfies FloodReport, () =>
    process.exit(0),
  );
}

const [url = '', localAddress = '', perSecond = '', seconds = ''] = process.argv.slice(2);
void flood(url, localAddress, Number(perSecond), Number(seconds));
