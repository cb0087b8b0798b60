import { TaskLimiter } from '../../../src/common/task-limiter';
import { UnreadableJson } from './gson';

const TIMEOUT_MS = 10_000;

/** OkHttp's default of concurrent calls to one host. */
const MAX_CONCURRENT_CALLS = 5;

/** A status other than 2xx, with the text that the app shows in the dialog of the registration. */
export class RefusedCall extends Error {
  constructor(
    call: string,
    readonly status: number,
    readonly body: string,
  ) {
    super(`Client request(${call}) invalid: ${status}. Text: "${body}"`);
  }
}

export interface AppCall {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Appended to the API URL as it was typed. */
  readonly path: string;
  readonly authorization?: string;
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/** The HTTP client of the app. */
export class AppHttp {
  private readonly limiter = new TaskLimiter(MAX_CONCURRENT_CALLS);

  constructor(
    readonly apiUrl: string,
    private readonly version: string,
  ) {}

  /**
   * Makes a call, when earlier ones leave room for it.
   * @returns the text of the answer.
   * @throws RefusedCall if the status is not 2xx. @throws UnreadableJson if a body is not JSON by its type.
   */
  send(call: AppCall): Promise<string> {
    return this.limiter.run(() => this.sendNow(call));
  }

  private async sendNow({ method, path, authorization, body, signal }: AppCall): Promise<string> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(`${this.apiUrl}${path}`, {
      method,
      headers: {
        'user-agent': `me.capcom.smsgateway/${this.version}`,
        accept: 'application/json',
        ...(authorization !== undefined && { authorization }),
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const text = await answer.text();
    if (!answer.ok) throw new RefusedCall(`${method} ${path}`, answer.status, text);
    const type = answer.headers.get('content-type') ?? '';
    if (answer.status !== 204 && !/^application\/json(;|$)/.test(type))
      throw new UnreadableJson(`${method} ${path} answered with the type "${type}"`);
    return text;
  }

  /** Makes a call whose answer has a JSON body. */
  async json(call: AppCall): Promise<unknown> {
    const text = await this.send(call);
    try {
      return JSON.parse(text);
    } catch {
      throw new UnreadableJson(`${call.method} ${call.path} answered with no JSON: ${text.slice(0, 80)}`);
    }
  }
}
