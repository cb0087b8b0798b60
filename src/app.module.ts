import { DynamicModule, Module, Type } from '@nestjs/common';
import { ApiModule } from './api.module';
import { AccountBootstrapModule, AuthSchedulerModule } from './auth/auth.module';
import { MaintenanceSchedulerModule } from './maintenance/maintenance.module';
import { ContactImportsSchedulerModule } from './contact-imports/contact-imports.module';
import { Configuration } from './config/configuration';
import { SmsGateHttpModule } from './phones/smsgate/smsgate-http.module';
import { Role } from './config/sections/roles.config';
import { ErasureSchedulerModule } from './erasure/erasure.module';
import { GatewaySchedulerModule, GatewayWorkerModule } from './gateway/gateway-jobs.module';
import { InfrastructureModule } from './infrastructure/infrastructure.module';
import { ConversationsSchedulerModule } from './messages/conversations/conversations.module';
import { BaselineModule, MigrationsSchedulerModule } from './migrations/migrations.module';
import { NoticesSchedulerModule } from './notices/notices.module';
import { OpsHttpModule } from './ops/ops-http.module';
import { OpsSchedulerModule } from './ops/ops.module';
import { PhonesSchedulerModule } from './phones/phones-jobs.module';
import { WebhooksSchedulerModule, WebhooksWorkerModule } from './webhooks/webhooks-jobs.module';

/** Modules of each role, besides those of every process. */
const ROLE_MODULES: Record<Role, readonly Type[]> = {
  api: [],
  worker: [GatewayWorkerModule, WebhooksWorkerModule],
  scheduler: [
    AuthSchedulerModule,
    ContactImportsSchedulerModule,
    ConversationsSchedulerModule,
    ErasureSchedulerModule,
    GatewaySchedulerModule,
    MaintenanceSchedulerModule,
    MigrationsSchedulerModule,
    NoticesSchedulerModule,
    OpsSchedulerModule,
    PhonesSchedulerModule,
    WebhooksSchedulerModule,
  ],
};

@Module({})
export class AppModule {
  static register(configuration: Configuration): DynamicModule {
    return {
      module: AppModule,
      imports: [
        InfrastructureModule.register(configuration),
        BaselineModule,
        AccountBootstrapModule,
        ApiModule,
        OpsHttpModule,
        ...SmsGateHttpModule.at(configuration.smsgate.path),
        ...configuration.roles.roles.flatMap((role) => ROLE_MODULES[role]),
      ],
    };
  }
}
