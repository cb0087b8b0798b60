import { DynamicModule, Module } from '@nestjs/common';
import { Configuration, CONFIGURATION_SECTIONS } from './configuration';

/** Makes each configuration section injectable by its class. */
@Module({})
export class ConfigModule {
  static register(configuration: Configuration): DynamicModule {
    const providers = Object.entries(CONFIGURATION_SECTIONS).map(([name, section]) => ({
      provide: section,
      useValue: configuration[name as keyof Configuration],
    }));
    return { module: ConfigModule, global: true, providers, exports: providers };
  }
}
