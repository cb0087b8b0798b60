import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module';
import { BillingModule } from '../../billing/billing.module';
import { ConsentModule } from '../../consent/consent.module';
import { ContactsModule } from '../../contacts/contacts.module';
import { DevicesModule } from '../../devices/devices.module';
import { LimitsModule } from '../../auth/limits/limits.module';
import { MessagesModule } from '../../messages/messages.module';
import { SendersModule } from '../senders/senders.module';
import { WavesModule } from '../waves/waves.module';
import { AcceptanceService } from './acceptance/acceptance.service';
import { IdempotencyService } from './acceptance/idempotency.service';
import { ListRecipients } from './list-recipients.service';
import { SendPlanner } from './plan/send-planner.service';
import { SendPreparationService } from './send-preparation.service';
import { SendRollbackService } from './acceptance/send-rollback.service';
import { SendService } from './send.service';
import { SuppressedRecipients } from './acceptance/suppressed-recipients.service';

const EXPORTED = [
  SendPlanner,
  SendPreparationService,
  SendRollbackService,
  SendService,
  SuppressedRecipients,
];

/** Accepts sends: validates, plans, charges and stores them. */
@Module({
  imports: [
    AuthModule,
    BillingModule,
    ConsentModule,
    ContactsModule,
    DevicesModule,
    LimitsModule,
    MessagesModule,
    SendersModule,
    WavesModule,
  ],
  providers: [...EXPORTED, AcceptanceService, IdempotencyService, ListRecipients],
  exports: EXPORTED,
})
export class SendsModule {}
