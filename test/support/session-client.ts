import request, { type Test } from 'supertest';

export interface SessionJson {
  accessToken: string;
  user: { _id: string; name: string; email: string; emailVerifiedAt?: string };
}

/** An API client with a session token, or without credentials. */
export class SessionClient {
  constructor(
    readonly url: string,
    readonly accessToken?: string,
  ) {}

  get(path: string): Test {
    return this.call('get', path);
  }

  post(path: string, body: object = {}): Test {
    return this.call('post', path).send(body);
  }

  patch(path: string, body: object = {}): Test {
    return this.call('patch', path).send(body);
  }

  put(path: string, body: object = {}): Test {
    return this.call('put', path).send(body);
  }

  delete(path: string): Test {
    return this.call('delete', path);
  }

  /** Creates an account and signs in. */
  async register(
    email: string,
    password: string,
    name = 'Ada',
  ): Promise<SessionClient & { session: SessionJson }> {
    return this.startSession(await this.post('/auth/register', { name, email, password }));
  }

  async logIn(email: string, password: string): Promise<SessionClient & { session: SessionJson }> {
    return this.startSession(await this.post('/auth/login', { email, password }));
  }

  private startSession(answer: { status: number; body: unknown }): SessionClient & { session: SessionJson } {
    if (answer.status > 201) throw new Error(`Sign-in failed: ${JSON.stringify(answer.body)}`);
    const session = (answer.body as { data: SessionJson }).data;
    return Object.assign(new SessionClient(this.url, session.accessToken), { session });
  }

  private call(method: 'get' | 'post' | 'patch' | 'put' | 'delete', path: string): Test {
    const call = request(this.url)[method](`/api/v1${path}`);
    return this.accessToken === undefined ? call : call.set('authorization', `Bearer ${this.accessToken}`);
  }
}
