import { request } from 'node:http';
import { brotliCompressSync } from 'node:zlib';

export interface FloodReport {
  readonly seconds: number;
  readonly sent: number;
  /** Responses by status; `none` for connections without one. */
  readonly statusCounts: Readonly<Record<string, number>>;
}

/** Maximum number of requests without a response. */
const MAX_PENDING = 400;

const JSON_TYPE = { 'content-type': 'application/json' };

interface Body {
  readonly headers: Record<string, string>;
  readonly bytes: Buffer;
  /** Sends one byte every 500 ms. */
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

/** Posts hostile bodies to `auth/login` at a steady rate, in a separate process. */
async function flood(url: string, localAddress: string, perSecond: number, seconds: number): Promise<void> {
  const statusCounts: Record<string, number> = {};
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
      statusCounts[status] = (statusCounts[status] ?? 0) + 1;
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
  const report = (lasted: number) =>
    process.send?.({ seconds: lasted, sent, statusCounts } satisfies FloodReport);
  report(0);
  const startedAt = performance.now();
  for (let index = 0; ; index++) {
    const elapsed = performance.now() - startedAt;
    if (elapsed >= seconds * 1_000) break;
    const delayMs = (index * 1_000) / perSecond - elapsed;
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    const body = BODIES[index % BODIES.length];
    if (body && open < MAX_PENDING) send(body);
  }
  process.send?.(
    { seconds: (performance.now() - startedAt) / 1_000, sent, statusCounts } satisfies FloodReport,
    () => process.exit(0),
  );
}

const [url = '', localAddress = '', perSecond = '', seconds = ''] = process.argv.slice(2);
void flood(url, localAddress, Number(perSecond), Number(seconds));
