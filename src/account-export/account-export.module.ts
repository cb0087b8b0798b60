import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { ConsentModule } from '../consent/consent.module';
import { ContactImportsModule } from '../contact-imports/contact-imports.module';
import { ContactsModule } from '../contacts/contacts.module';
import { DevicesModule } from '../devices/devices.module';
import { BatchesModule } from '../gateway/batches/batches.module';
import { LoopTestsModule } from '../gateway/loop-tests/loop-tests.module';
import { PoolsModule } from '../gateway/pools/pools.module';
import { SuppressionsModule } from '../gateway/suppressions/suppressions.module';
import { MessagesModule } from '../messages/messages.module';
import { NoticesModule } from '../notices/notices.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { AccountRecords } from './account-records.service';
import { ContactExport } from './contact-export.service';
import { ConsentExport } from './consent-export.service';
import { GatewayRecords } from './gateway-records.service';

/** Exports everything that an account owns. */
@Module({
  imports: [
    ApiKeysModule,
    AuthModule,
    BatchesModule,
    BillingModule,
    ConsentModule,
    ContactImportsModule,
    ContactsModule,
    DevicesModule,
    LoopTestsModule,
    MessagesModule,
    NoticesModule,
    PoolsModule,
    SuppressionsModule,
    WebhooksModule,
  ],
  providers: [AccountRecords, ConsentExport, ContactExport, GatewayRecords],
  exports: [AccountRecords, ConsentExport, ContactExport, GatewayRecords],
})
export class AccountExportModule {}
