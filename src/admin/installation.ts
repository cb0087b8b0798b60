import {
  type Abstract,
  type INestApplicationContext,
  Injectable,
  OnApplicationShutdown,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { assertReachable } from '../common/reachability';
import { loadConfiguration } from '../config/configuration';
import { readProcessEnvironment } from '../config/process-environment';
import { InstallationModule } from './installation.module';

/**
 * The installation that the environment names. It is opened by the first command that asks it for a service, so that
 * help and mistyped commands need neither settings nor a database.
 */
@Injectable()
export class Installation implements OnApplicationShutdown {
  private opening?: Promise<INestApplicationContext>;

  /**
   * One of the service's own services.
   * @throws ConfigurationError, OperatorError when the installation cannot be reached.
   */
  async get<T>(service: Type<T> | Abstract<T>): Promise<T> {
    this.opening ??= this.open();
    return (await this.opening).get<T>(service, { strict: false });
  }

  async onApplicationShutdown(): Promise<void> {
    const app = await this.opening?.catch(() => undefined);
    await app?.close();
  }

  private async open(): Promise<INestApplicationContext> {
    const configuration = loadConfiguration(readProcessEnvironment());
    await assertReachable(configuration);
    return NestFactory.createApplicationContext(InstallationModule.register(configuration), {
      abortOnError: false,
      logger: ['error', 'fatal'],
    });
  }
}
