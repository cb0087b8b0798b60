import { DynamicModule, Module } from '@nestjs/common';
import { AppModule } from '../app.module';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { UpkeepModule } from '../common/upkeep/upkeep.module';
import { Configuration } from '../config/configuration';
import { RolesConfig } from '../config/roles.config';
import { DevicesModule } from '../devices/devices.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { AdminService } from './admin.service';

/** The service as the operator's commands use it: without HTTP, and in no role. */
@Module({})
export class AdminModule {
  static register(configuration: Configuration): DynamicModule {
    const roles = Object.assign(new RolesConfig(), { roles: [] });
    return {
      module: AdminModule,
      imports: [
        AppModule.register({ ...configuration, roles }),
        AuthModule,
        BillingModule,
        DevicesModule,
        WebhooksModule,
        UpkeepModule,
      ],
      providers: [AdminService],
    };
  }
}
