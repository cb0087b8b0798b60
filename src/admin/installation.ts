import {
  type Abstract,
  type DynamicModule,
  type INestApplicationContext,
  type OnApplicationShutdown,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Configuration, loadConfiguration } from '../config/configuration';
import { readProcessEnvironment } from '../config/environment/environment';
import { RolesConfig } from '../config/sections/roles.config';
import { ServiceLogger } from '../infrastructure/logging/service-logger';
import { assertReachable } from '../infrastructure/reachability';

/** The module of the whole service; `AppModule` fits. */
export interface ServiceModule {
  register(configuration: Configuration): DynamicModule;
}

/**
 * The service's application context, without HTTP and without a role. It is created on first use, so that help and mistyped
 * commands need neither settings nor a database.
 */
export class Installation implements OnApplicationShutdown {
  private context?: Promise<INestApplicationContext>;

  constructor(private readonly service: ServiceModule) {}

  /**
   * Resolves a provider of the service.
   * @throws ConfigurationError, OperatorError when the database or Redis cannot be reached.
   */
  async get<T>(service: Type<T> | Abstract<T>): Promise<T> {
    this.context ??= this.createContext();
    return (await this.context).get<T>(service, { strict: false });
  }

  async onApplicationShutdown(): Promise<void> {
    const context = await this.context?.catch(() => undefined);
    await context?.close();
  }

  private async createContext(): Promise<INestApplicationContext> {
    const configuration = loadConfiguration(readProcessEnvironment());
    await assertReachable(configuration);
    const roles = Object.assign(new RolesConfig(), { roles: [] });
    return NestFactory.createApplicationContext(this.service.register({ ...configuration, roles }), {
      abortOnError: false,
      logger: new ServiceLogger({ logFormat: 'text', logLevel: 'error' }),
    });
  }
}
