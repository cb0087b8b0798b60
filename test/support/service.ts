import { generateKeyPairSync } from 'node:crypto';
import type { LoggerService, Type } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { Collection, Connection } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { AppModule } from '../../src/app.module';
import { AccountsRepository } from '../../src/auth/accounts/accounts.repository';
import { configureHttp } from '../../src/bootstrap';
import { Clock } from '../../src/common/clock';
import { CONNECTION_LIMITS, type ConnectionLimits, HttpAdapter } from '../../src/common/http/http-adapter';
import { loadConfiguration } from '../../src/config/configuration';
import { Environment } from '../../src/config/environment';
import { FIREBASE_OPTIONS, type FirebaseOptions } from '../../src/push/fcm/firebase-options';
import type { PushTransport } from '../../src/push/push-transport';
import { StreamTransport } from '../../src/push/stream/stream-transport';
import { MAX_RUNNERS } from '../../src/webhooks/deliveries/delivery-runner-pool.service';
import { Jitter } from '../../src/webhooks/deliveries/jitter';
import { DnsLookup } from '../../src/infrastructure/outbound-http/dns-lookup';
import { SessionsService } from '../../src/auth/sessions/sessions.service';
import { createTestAccount } from '../../src/testing';
import { TestClient } from './client';
import { TestClock } from './test-clock';
import { pooledStore, type TestStore } from './test-store';
import { Visitor } from './visitor';

/** The settings of a Firebase project that is nobody's. */
function firebaseEnvironment(): Environment {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return {
    FIREBASE_PROJECT_ID: 'demo-project',
    FIREBASE_CLIENT_EMAIL: 'push@demo-project.iam.gserviceaccount.com',
    FIREBASE_PRIVATE_KEY: privateKey,
  };
}

/** The service as it runs in production, on the real database and the real Redis, with a clock tests can move. */
export class TestService {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly url: string,
    readonly clock: TestClock,
    private readonly store: TestStore,
    private readonly ownsStore: boolean,
    /** What it serves, such as `get /api/v1/gateway/devices/:id`. */
    readonly routes: readonly string[],
  ) {}

  /**
   * @param options.shared joins the store of another service: a second process of the same installation.
   * @param options.store is used in place of one from the pool; the service drops it as it stops.
   * @param options.clock tells the service the time from its start on.
   * @param options.transport stands for the push service of streams.
   * @param options.firebase where FCM is found; without it there is none.
   * @param options.logger takes what the service logs.
   * @param options.limits stands in for some of the limits connections have in production.
   * @param options.jitter the chance in webhook retries; without it there is none.
   * @param options.maxRunners webhook subscriptions it delivers for at the same time.
   * @param options.lookup finds the addresses of webhook endpoints' names.
   */
  static async start(
    options: {
      environment?: Environment;
      shared?: TestService;
      store?: TestStore;
      clock?: TestClock;
      transport?: PushTransport;
      firebase?: FirebaseOptions;
      logger?: LoggerService;
      limits?: Partial<ConnectionLimits>;
      jitter?: Jitter;
      maxRunners?: number;
      lookup?: DnsLookup;
    } = {},
  ): Promise<TestService> {
    const store = options.shared?.store ?? options.store ?? (await pooledStore());
    const clock = options.shared?.clock ?? options.clock ?? new TestClock();
    const configuration = loadConfiguration({
      ...store.environment,
      ...(options.firebase && firebaseEnvironment()),
      ...options.environment,
    });
    const builder = Test.createTestingModule({ imports: [AppModule.register(configuration)] })
      .overrideProvider(Clock)
      .useValue(clock)
      .overrideProvider(Jitter)
      .useValue(options.jitter ?? { next: () => 0 });
    if (options.maxRunners) builder.overrideProvider(MAX_RUNNERS).useValue(options.maxRunners);
    if (options.lookup) builder.overrideProvider(DnsLookup).useValue(options.lookup);
    if (options.transport) builder.overrideProvider(StreamTransport).useValue(options.transport);
    if (options.firebase) builder.overrideProvider(FIREBASE_OPTIONS).useValue(options.firebase);
    const module = await builder.compile();
    const adapter = new HttpAdapter(configuration.http.trustProxy, {
      ...CONNECTION_LIMITS,
      ...options.limits,
    });
    const routes: string[] = [];
    adapter.getInstance().addHook('onRoute', ({ method, url }) => {
      for (const each of [method].flat()) if (each !== 'HEAD') routes.push(`${each.toLowerCase()} ${url}`);
    });
    const app = module.createNestApplication<NestFastifyApplication>(adapter, {
      bodyParser: false,
      logger: options.logger ?? (process.env.TEST_LOG ? undefined : false),
    });
    configureHttp(app, adapter);
    await app.listen(0, '127.0.0.1');
    return new TestService(app, await app.getUrl(), clock, store, !options.shared, routes);
  }

  get<T>(token: Type<T> | (abstract new (...args: never[]) => T)): T {
    return this.app.get<T>(token, { strict: false });
  }

  /** What a program of its own needs to work on the same database. */
  get environment(): Environment {
    return this.store.environment;
  }

  collection(name: string): Collection {
    return this.app.get<Connection>(getConnectionToken(), { strict: false }).collection(name);
  }

  /** A new account with a key, and a client that uses it. */
  async newAccount(name = 'Test'): Promise<TestClient> {
    const { account, apiKey } = await createTestAccount(this.app, name);
    return new TestClient(this.url, apiKey, account.user);
  }

  /** The owner of this account, signed in with a password. */
  async signedIn({ user }: Pick<TestClient, 'user'>): Promise<Visitor> {
    const generations = await this.get(AccountsRepository).findTokenGenerations([user]);
    const generation = generations.get(user.toHexString()) ?? 0;
    const client = { address: '127.0.0.1' };
    const { token } = await this.get(SessionsService).create(
      accountScope(user),
      'password',
      generation,
      client,
    );
    return new Visitor(this.url, token);
  }

  /** Work that repeats on a timer runs from here on only when the test calls it. */
  stopTimers(): void {
    const registry = this.app.get(SchedulerRegistry, { strict: false });
    for (const name of registry.getIntervals()) registry.deleteInterval(name);
  }

  async stop(): Promise<void> {
    await this.app.close();
    if (this.ownsStore) await this.store.drop();
  }
}
