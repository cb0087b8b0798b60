import { DynamicModule, Module, Type } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { AuthModule } from './auth/auth.module';
import { BillingModule } from './billing/billing.module';
import { EnvelopeInterceptor } from './common/http/envelope.interceptor';
import { ErrorFilter } from './common/http/error.filter';
import { JsonBodyInterceptor } from './common/http/json-body.interceptor';
import { createValidationPipe } from './common/http/validation.pipe';
import { Configuration } from './config/configuration';
import { Role } from './config/roles.config';
import { DevicesModule } from './devices/devices.module';
import { GatewaySchedulerModule, GatewayWorkerModule } from './gateway/gateway-jobs.module';
import { GatewayModule } from './gateway/gateway.module';
import { InfrastructureModule } from './infrastructure.module';
import { MessagesModule } from './messages/messages.module';

/** What each role runs besides the modules every process has. */
const JOBS: Record<Role, readonly Type[]> = {
  api: [],
  worker: [GatewayWorkerModule],
  scheduler: [GatewaySchedulerModule],
};

/** The whole service. */
@Module({})
export class AppModule {
  static register(configuration: Configuration): DynamicModule {
    return {
      module: AppModule,
      imports: [
        InfrastructureModule.register(configuration),
        AuthModule,
        BillingModule,
        DevicesModule,
        MessagesModule,
        GatewayModule,
        ...configuration.roles.roles.flatMap((role) => JOBS[role]),
      ],
      providers: [
        { provide: APP_FILTER, useClass: ErrorFilter },
        { provide: APP_INTERCEPTOR, useClass: JsonBodyInterceptor },
        { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
        { provide: APP_PIPE, useFactory: createValidationPipe },
      ],
    };
  }
}
