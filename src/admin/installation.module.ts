import { DynamicModule, Module } from '@nestjs/common';
import { AppModule } from '../app.module';
import { Configuration } from '../config/configuration';
import { RolesConfig } from '../config/sections/roles.config';

/** The whole service for admin commands: without HTTP and without a role. */
@Module({})
export class InstallationModule {
  static register(configuration: Configuration): DynamicModule {
    const roles = Object.assign(new RolesConfig(), { roles: [] });
    return { module: InstallationModule, imports: [AppModule.register({ ...configuration, roles })] };
  }
}
