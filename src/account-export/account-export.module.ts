import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { DevicesModule } from '../devices/devices.module';
import { GatewayModule } from '../gateway/gateway.module';
import { MessagesModule } from '../messages/messages.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { AccountExportController } from './account-export.controller';
import { AccountRecords } from './account-records.service';
import { GatewayRecords } from './gateway-records.service';

/** Exports everything that an account owns. */
@Module({
  imports: [
    ApiKeysModule,
    AuthModule,
    BillingModule,
    DevicesModule,
    GatewayModule,
    MessagesModule,
    WebhooksModule,
  ],
  controllers: [AccountExportController],
  providers: [AccountRecords, GatewayRecords],
})
export class AccountExportModule {}
