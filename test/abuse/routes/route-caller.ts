import { Agent, request } from 'node:http';
import type { ImportState } from '../../../src/contact-imports/store/import.schema';
import { eventually } from '../../support/eventually';
import { callApi, readData } from '../api-calls';
import { APP_HEADERS, logIn, type World } from './routes-world';
import { CALL_NUMBER, type RouteRequest } from './route-requests';

export const CONCURRENT = 8;

/** A call without the start of an answer by then hangs: the CPU time of slow ones is judged by itself. */
export const FIRST_BYTE_MS = 60_000;
/** An answer that takes longer is closed: it is judged by what has come, because large answers share a part of the process. */
export const READ_MS = 6_000;
const STREAM_MS = 200;

export interface Answer {
  /** 0 without an answer in time. */
  readonly status: number;
  readonly bytes: number;
  /** The beginning of the body of a refusal. */
  readonly text?: string;
  /** The longest pause after the first byte of an answer that was closed before its end. */
  readonly pauseMs?: number;
}

interface Import {
  readonly state: ImportState;
}

/** Calls the routes of one account. */
export class RouteCaller {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: CONCURRENT });
  /** By route, so that each begins with its first path. */
  private readonly calls = new Map<string, number>();
  private createdPaths: string[] = [];

  constructor(
    private readonly apiUrl: string,
    private readonly world: World,
  ) {}

  /** @param localAddress each has its own limits of requests without a credential. */
  async call(route: RouteRequest, localAddress: string): Promise<Answer> {
    const answer = await this.send(route, localAddress);
    if (route.endsSession && route.credential === 'session' && answer.status < 400)
      this.world.session = (await logIn(this.apiUrl, this.world.email)).accessToken;
    return answer;
  }

  /** Waits until no file is being imported; one that takes too long is judged by the refusal of the next. */
  async waitForImports(): Promise<void> {
    const { apiKey } = this.world;
    const list = () => readData<readonly Import[]>(callApi(this.apiUrl, apiKey, 'GET', '/gateway/imports'));
    const isOver = ({ state }: Import) => state === 'done' || state === 'undone';
    await eventually(list, (imports) => imports.every(isOver), FIRST_BYTE_MS).catch(() => undefined);
  }

  /** Deletes what calls have created, so that the limits of the account leave room for the next ones. */
  async deleteCreated(): Promise<void> {
    const { apiKey } = this.world;
    for (const path of this.createdPaths.splice(0))
      await fetch(`${this.apiUrl}${path}`, { method: 'DELETE', headers: { 'x-api-key': apiKey } });
  }

  stop(): void {
    this.agent.destroy();
  }

  private send(route: RouteRequest, localAddress: string): Promise<Answer> {
    const { method, paths, credential, isStream } = route;
    const number = this.calls.get(route.name) ?? 0;
    this.calls.set(route.name, number + 1);
    const body = route.body?.replaceAll(CALL_NUMBER, String(number));
    const path = paths[number % paths.length] ?? '';
    const { hostname, port } = new URL(this.apiUrl);
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const end = (answer: Answer) => {
        clearTimeout(timer);
        resolve(answer);
      };
      const call = request(
        {
          hostname,
          port,
          method,
          path,
          agent: isStream ? false : this.agent,
          localAddress,
          headers: {
            ...(credential === 'key' && { 'x-api-key': this.world.apiKey }),
            ...(credential === 'app' && {
              ...APP_HEADERS,
              authorization: `Bearer ${this.world.app.token}`,
            }),
            ...(credential === 'session' && { authorization: `Bearer ${this.world.session}` }),
            ...(body !== undefined && {
              'content-type': route.contentType ?? 'application/json',
              'content-length': Buffer.byteLength(body),
            }),
          },
        },
        (answer) => {
          const { statusCode: status = 0 } = answer;
          const isCreated = status === 201 && route.isLimited;
          let [bytes, pauseMs, lastAt, text] = [0, 0, performance.now(), ''];
          const touch = () => {
            const now = performance.now();
            [pauseMs, lastAt] = [Math.max(pauseMs, now - lastAt), now];
          };
          answer.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (status >= 400 && text === '') text = chunk.toString('utf8', 0, 300);
            if (isCreated) text += chunk.toString('utf8');
            touch();
          });
          answer.once('end', () => {
            if (isCreated) this.createdPaths.push(`${path}/${createdId(text)}`);
            end({ status, bytes, text });
          });
          // Not at its end: the server has reset it, unless this has.
          answer.once('close', () => {
            end({ status: isStream ? status : 0, bytes });
          });
          answer.on('error', () => undefined);
          clearTimeout(timer);
          timer = setTimeout(
            () => {
              touch();
              end(isStream ? { status, bytes } : { status, bytes, pauseMs });
              call.destroy();
            },
            isStream ? STREAM_MS : READ_MS,
          );
        },
      );
      timer = setTimeout(() => {
        call.destroy();
        end({ status: 0, bytes: 0 });
      }, FIRST_BYTE_MS);
      call.on('error', () => {
        // The server has closed the connection after the answer before, such as one to a malformed request.
        if (call.reusedSocket) this.send(route, localAddress).then(end, () => undefined);
        else end({ status: 0, bytes: 0 });
      });
      call.end(body);
    });
  }
}

const createdId = (text: string): string => (JSON.parse(text) as { data: { _id: string } }).data._id;
