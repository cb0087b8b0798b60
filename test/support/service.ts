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
import { MINUTE_MS } from '../../src/common/durations';
import {
  type ConnectionLimits,
  connectionLimitsOf,
  MAX_UNACCEPTED_CONNECTIONS,
} from '../../src/common/http/connections/http-server';
import { LimitedFastifyAdapter } from '../../src/common/http/limited-fastify-adapter';
import { loadConfiguration } from '../../src/config/configuration';
import { Environment } from '../../src/config/environment/environment';
import { FIREBASE_OPTIONS, type FirebaseOptions } from '../../src/push/fcm/firebase-app';
import type { PushTransport } from '../../src/push/transport/push-transport';
import { StreamTransport } from '../../src/push/stream/stream-transport';
import { MAX_RUNNERS } from '../../src/webhooks/runners/delivery-runner-pool.service';
import { Jitter } from '../../src/webhooks/attempts/jitter';
import { REDIS_TIMEOUT_MS } from '../../src/infrastructure/redis/redis-circuit-breaker';
import { Activity } from '../../src/infrastructure/sweeps/activity.service';
import { DnsLookup } from '../../src/infrastructure/outbound-http/dns-lookup';
import { SessionsService } from '../../src/auth/sessions/sessions.service';
import { createTestAccount } from '../../src/testing';
import { TestClient } from './client';
import { runningServices } from './running-services';
import { TestClock } from './test-clock';
import { pooledStore, type TestStore } from './test-store';
import { SessionClient } from './session-client';

/** The settings of a Firebase project that does not exist. */
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

/** The production service on the real database and Redis, with a clock that tests control. */
export class TestService {
  private stopping?: Promise<void>;

  private constructor(
    readonly app: NestFastifyApplication,
    readonly url: string,
    readonly clock: TestClock,
    private readonly store: TestStore,
    private readonly ownsStore: boolean,
    private readonly forgetClock: () => void,
    /** Its routes, such as `get /api/v1/gateway/devices/:id`. */
    readonly routes: readonly string[],
  ) {}

  /**
   * @param options.shared another service whose store it joins, as a second process of one installation.
   * @param options.store replaces the store from the pool; dropped on stop.
   * @param options.clock replaces the clock.
   * @param options.transport replaces the transport for streams.
   * @param options.firebase options to connect to FCM; without them FCM is off.
   * @param options.logger receives the log.
   * @param options.limits overrides connection limits.
   * @param options.jitter replaces the jitter of webhook retries; none by default.
   * @param options.maxRunners overrides the number of concurrent delivery runners.
   * @param options.lookup replaces the DNS lookup of webhook endpoints.
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
    const clock = options.clock ?? options.shared?.clock ?? new TestClock();
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
    // On a busy machine the Redis of the tests is slow, but not gone; a proxy may take it away.
    if (options.environment?.REDIS_URL === undefined)
      builder.overrideProvider(REDIS_TIMEOUT_MS).useValue(MINUTE_MS);
    if (options.maxRunners) builder.overrideProvider(MAX_RUNNERS).useValue(options.maxRunners);
    if (options.lookup) builder.overrideProvider(DnsLookup).useValue(options.lookup);
    if (options.transport) builder.overrideProvider(StreamTransport).useValue(options.transport);
    if (options.firebase) builder.overrideProvider(FIREBASE_OPTIONS).useValue(options.firebase);
    const module = await builder.compile();
    const adapter = new LimitedFastifyAdapter(configuration.http, {
      ...connectionLimitsOf(configuration.http),
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
    await app.listen({ port: 0, host: '127.0.0.1', backlog: MAX_UNACCEPTED_CONNECTIONS });
    const forgetClock = clock.onAdvance((ms) => {
      app.get(Activity, { strict: false }).record();
      runIntervals(app, ms);
    });
    const url = await app.getUrl();
    const service = new TestService(app, url, clock, store, !options.shared, forgetClock, routes);
    runningServices.add(service);
    return service;
  }

  get<T>(token: Type<T> | (abstract new (...args: never[]) => T)): T {
    return this.app.get<T>(token, { strict: false });
  }

  /** The settings for another process on the same store. */
  get environment(): Environment {
    return this.store.environment;
  }

  collection(name: string): Collection {
    return this.app.get<Connection>(getConnectionToken(), { strict: false }).collection(name);
  }

  /** Creates an account with an API key. */
  async newAccount(name = 'Test'): Promise<TestClient> {
    const { account, apiKey } = await createTestAccount(this.app, name);
    return new TestClient(this.url, apiKey, account.user);
  }

  /** Creates a session of the account, as if its owner had signed in with a password. */
  async signIn({ user }: Pick<TestClient, 'user'>): Promise<SessionClient> {
    const generations = await this.get(AccountsRepository).findTokenGenerations([user]);
    const generation = generations.get(user.toHexString()) ?? 0;
    const client = { address: '127.0.0.1' };
    const { token } = await this.get(SessionsService).create(
      accountScope(user),
      'password',
      generation,
      client,
    );
    return new SessionClient(this.url, token);
  }

  /** Stops all scheduled jobs, so that they run only when the test calls them. */
  stopTimers(): void {
    const registry = this.app.get(SchedulerRegistry, { strict: false });
    for (const name of registry.getIntervals()) registry.deleteInterval(name);
  }

  /** Stops it, once; a spec file stops at its end what its tests left running. */
  stop(): Promise<void> {
    return (this.stopping ??= this.end());
  }

  private async end(): Promise<void> {
    // First, so that one that cannot be stopped fails only its own spec file.
    runningServices.delete(this);
    this.forgetClock();
    const connection = this.app.get<Connection>(getConnectionToken(), { strict: false });
    await this.app.close();
    // Otherwise Mongoose keeps the closed connection, and Jest's context of it the whole service.
    await connection.destroy();
    if (this.ownsStore) await this.store.drop();
  }
}

/** Runs each periodic job that is due after so much time, which otherwise waits for the system's time. */
function runIntervals(app: NestFastifyApplication, ms: number): void {
  const registry = app.get(SchedulerRegistry, { strict: false });
  for (const name of registry.getIntervals()) {
    const interval = registry.getInterval(name) as NodeInterval;
    if (interval._idleTimeout > ms) continue;
    interval._onTimeout();
    interval.refresh();
  }
}

/** What Node keeps of an interval, unchanged since its first versions. */
type NodeInterval = NodeJS.Timeout & { readonly _idleTimeout: number; _onTimeout(): void };
