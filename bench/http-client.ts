import { Pool } from 'undici';
import { LANES } from './closed-loop';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path below `/api/v1/`. */
  readonly path: string;
  readonly apiKey: string;
  readonly body?: unknown;
}

/** An HTTP client with one persistent connection per lane. */
export class HttpClient {
  private readonly pool: Pool;

  constructor(baseUrl: string) {
    this.pool = new Pool(baseUrl, { connections: LANES, pipelining: 1 });
  }

  /** Makes a call and reads the response. @throws Error unless it is a 200 or a 201. */
  call({ method, path, apiKey, body }: Call): Promise<string> {
    return this.request({ method, path: `/api/v1/${path}`, headers: { 'x-api-key': apiKey }, body });
  }

  /** Makes a call of the app SMSGate. @param call.path below `/sms/`. @throws Error unless it is a 200 or a 204. */
  callApp({ method, path, token, body }: Omit<Call, 'apiKey'> & { readonly token: string }): Promise<string> {
    return this.request({
      method,
      path: `/sms/${path}`,
      headers: { authorization: `Bearer ${token}` },
      body,
    });
  }

  private async request({
    method,
    path,
    headers,
    body,
  }: Omit<Call, 'apiKey'> & { readonly headers: Readonly<Record<string, string>> }): Promise<string> {
    const answer = await this.pool.request({
      method,
      path,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (![200, 201, 204].includes(answer.statusCode)) {
      throw new Error(`${method} ${path} was answered ${answer.statusCode}: ${text}`);
    }
    return text;
  }

  /** Makes a call and returns `data` of the response. */
  async readData<Data>(call: Call): Promise<Data> {
    return (JSON.parse(await this.call(call)) as { data: Data }).data;
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}
