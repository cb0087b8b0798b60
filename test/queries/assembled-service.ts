import type { Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { getConnectionToken } from '@nestjs/mongoose';
import { Test, type TestingModule } from '@nestjs/testing';
import { type Connection, Model } from 'mongoose';
import { AppModule } from '../../src/app.module';
import { PersistenceModule } from '../../src/infrastructure/mongo/persistence.module';
import { loadConfiguration } from '../../src/config/configuration';
import { newStore, type TestStore } from '../support/test-store';

/** The service on a real database without its jobs, so that only the test sends queries. */
export class AssembledService {
  private constructor(
    private readonly module: TestingModule,
    private readonly store: TestStore,
  ) {}

  static async assemble(): Promise<AssembledService> {
    const store = newStore();
    const uri = new URL(store.environment.MONGODB_URI ?? '');
    uri.searchParams.set('monitorCommands', 'true');
    const configuration = loadConfiguration({ ...store.environment, MONGODB_URI: uri.href });
    const module = await Test.createTestingModule({ imports: [AppModule.register(configuration)] }).compile();
    const service = new AssembledService(module, store);
    await service.get(PersistenceModule).onModuleInit();
    return service;
  }

  get<T>(token: Type<T> | (abstract new (...args: never[]) => T)): T {
    return this.module.get<T>(token, { strict: false });
  }

  get connection(): Connection {
    return this.module.get<Connection>(getConnectionToken(), { strict: false });
  }

  /** Every provider with a model. */
  get modelHolders(): ReadonlySet<object> {
    const instances = [...this.module.get(ModulesContainer).values()].flatMap(({ providers }) =>
      [...providers.values()].map(({ instance }): unknown => instance),
    );
    return new Set(instances.filter(holdsModel));
  }

  async stop(): Promise<void> {
    await this.module.close();
    await this.store.drop();
  }
}

function holdsModel(instance: unknown): instance is object {
  return (
    typeof instance === 'object' &&
    instance !== null &&
    Object.values(instance).some(
      (value: unknown) => typeof value === 'function' && value.prototype instanceof Model,
    )
  );
}
