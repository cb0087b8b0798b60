import { DynamicModule, Module, Type } from '@nestjs/common';
import { AccountExportModule } from './account-export/account-export.module';
import { ApiKeysModule } from './api-keys/api-keys.module';
import { AuthModule, AuthSchedulerModule } from './auth/auth.module';
import { BillingModule } from './billing/billing.module';
import { HttpConventionsModule } from './common/http/http-conventions.module';
import { MaintenanceSchedulerModule } from './maintenance/maintenance.module';
import { Configuration } from './config/configuration';
import { Role } from './config/sections/roles.config';
import { ErasureModule, ErasureSchedulerModule } from './erasure/erasure.module';
import { DevicesModule } from './devices/devices.module';
import { ExplanationModule } from './gateway/explanation/explanation.module';
import { GatewaySchedulerModule, GatewayWorkerModule } from './gateway/gateway-jobs.module';
import { GatewayModule } from './gateway/gateway.module';
import { ProblemsModule } from './gateway/problems/problems.module';
import { InfrastructureModule } from './infrastructure/infrastructure.module';
import { MessagesModule, MessagesSchedulerModule } from './messages/messages.module';
import { MigrationsModule, MigrationsSchedulerModule } from './migrations/migrations.module';
import { OperationsModule } from './ops/operations/operations.module';
import { OpsModule, OpsSchedulerModule } from './ops/ops.module';
import { WebhooksSchedulerModule, WebhooksWorkerModule } from './webhooks/webhooks-jobs.module';
import { WebhooksModule } from './webhooks/webhooks.module';

/** Modules of each role, besides those of every process. */
const ROLE_MODULES: Record<Role, readonly Type[]> = {
  api: [],
  worker: [GatewayWorkerModule, WebhooksWorkerModule],
  scheduler: [
    AuthSchedulerModule,
    ErasureSchedulerModule,
    GatewaySchedulerModule,
    MaintenanceSchedulerModule,
    MessagesSchedulerModule,
    MigrationsSchedulerModule,
    OpsSchedulerModule,
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
        HttpConventionsModule,
        MigrationsModule,
        AuthModule,
        BillingModule,
        DevicesModule,
        ApiKeysModule,
        MessagesModule,
        GatewayModule,
        WebhooksModule,
        ExplanationModule,
        ProblemsModule,
        AccountExportModule,
        ErasureModule,
        OpsModule,
        OperationsModule,
        ...configuration.roles.roles.flatMap((role) => ROLE_MODULES[role]),
      ],
    };
  }
}
