import request, { type Test } from 'supertest';
import type { TestClient } from '../client';
import type { TestService } from '../service';
import type { SessionClient } from '../session-client';
import { SmsGateApp, type SmsGateAppOptions } from './smsgate-app';

/** The path that the app is given. */
const PATH = '/sms';

/** An account of a running service, and the apps that it pairs. */
export class SmsGateSite {
  private readonly apps: SmsGateApp[] = [];

  private constructor(
    private readonly service: TestService,
    readonly client: TestClient,
    readonly session: SessionClient,
  ) {}

  static async create(service: TestService): Promise<SmsGateSite> {
    const client = await service.newAccount();
    return new SmsGateSite(service, client, await service.signIn(client));
  }

  /** Creates a pairing code. @returns it, and the id under which its state can be read. */
  async newCode(): Promise<{ readonly id: string; readonly code: string }> {
    const answer = await this.session.post('/auth/pairing-codes').expect(201);
    return (answer.body as { data: { id: string; code: string } }).data;
  }

  /** Pairs an app by a new code and switches it online; it stops with `stop`. */
  async pair(options: Partial<SmsGateAppOptions> = {}): Promise<SmsGateApp> {
    const { code } = await this.newCode();
    return this.start({ credential: { code }, ...options });
  }

  async start(options: Partial<SmsGateAppOptions>): Promise<SmsGateApp> {
    const app = new SmsGateApp({
      apiUrl: `${this.service.url}${PATH}`,
      now: () => this.service.clock.now().getTime(),
      ...options,
    });
    this.apps.push(app);
    return app.start();
  }

  async restart(app: SmsGateApp, changes: Partial<SmsGateAppOptions> = {}): Promise<SmsGateApp> {
    app.stop();
    const again = new SmsGateApp({ ...app.options, ...changes, storage: app.storage });
    this.apps.push(again);
    return again.start();
  }

  /** A call as the app makes it, with the token of a phone. */
  call(method: 'get' | 'post' | 'patch', path: string, { token }: { readonly token?: string } = {}): Test {
    const call = request(this.service.url)
      [method](`${PATH}${path}`)
      .set('user-agent', 'me.capcom.smsgateway/1.68.0');
    return token === undefined ? call : call.set('authorization', `Bearer ${token}`);
  }

  /** Registers as the app does, with raw parts. */
  register(authorization?: string, { name = 'Google/oriole', version = '1.68.0', address = '' } = {}): Test {
    const call = this.call('post', '/device').set('user-agent', `me.capcom.smsgateway/${version}`);
    if (authorization !== undefined) void call.set('authorization', authorization);
    if (address) void call.set('x-forwarded-for', address);
    return call.send({ name });
  }

  async device(id: string): Promise<Record<string, unknown>> {
    const answer = await this.client.get(`/gateway/devices/${id}`).expect(200);
    return (answer.body as { data: Record<string, unknown> }).data;
  }

  /** The texts that the phone has uploaded, newest first. */
  async received(id: string): Promise<Record<string, unknown>[]> {
    const answer = await this.client.get(`/gateway/devices/${id}/get-received-sms?limit=100`).expect(200);
    return (answer.body as { data: Record<string, unknown>[] }).data;
  }

  stop(): void {
    for (const app of this.apps.splice(0)) app.stop();
  }
}
