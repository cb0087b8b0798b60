import request, { type Test } from 'supertest';

export interface SessionJson {
  accessToken: string;
  user: { _id: string; name: string; email: string; emailVerifiedAt?: string };
}

/** Somebody at the dashboard: without an account, or with its token. */
export class Visitor {
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

  delete(path: string): Test {
    return this.call('delete', path);
  }

  /** Makes an account, and is logged in to it. */
  async register(email: string, password: string, name = 'Ada'): Promise<Visitor & { session: SessionJson }> {
    return this.open(await this.post('/auth/register', { name, email, password }));
  }

  async logIn(email: string, password: string): Promise<Visitor & { session: SessionJson }> {
    return this.open(await this.post('/auth/login', { email, password }));
  }

  private open(answer: { status: number; body: unknown }): Visitor & { session: SessionJson } {
    if (answer.status > 201) throw new Error(`Not let in: ${JSON.stringify(answer.body)}`);
    const session = (answer.body as { data: SessionJson }).data;
    return Object.assign(new Visitor(this.url, session.accessToken), { session });
  }

  private call(method: 'get' | 'post' | 'patch' | 'delete', path: string): Test {
    const call = request(this.url)[method](`/api/v1${path}`);
    return this.accessToken === undefined ? call : call.set('authorization', `Bearer ${this.accessToken}`);
  }
}
