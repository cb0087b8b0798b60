import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthModule } from '../auth/auth.module';
import { EncryptionModule } from '../infrastructure/encryption/encryption.module';
import { MessagesModule } from '../messages/messages.module';
import { AutoRepliesRepository } from './auto-replies/auto-replies.repository';
import { AutoReplyRequests } from './auto-replies/auto-reply-requests.service';
import { AutoReply, AutoReplySchema } from './auto-replies/auto-reply.schema';
import { ConsentNumbers } from './numbers/consent-numbers.service';
import { NumberKeys } from './numbers/number-keys.service';
import { ConsentRecord, ConsentRecordSchema } from './records/consent-record.schema';
import { ConsentRecordsRepository } from './records/consent-records.repository';
import { ConsentRecords } from './records/consent-records.service';
import { ConsentSettingsService } from './settings/consent-settings.service';
import { ConsentDecisions } from './suppressions/consent-decisions.service';
import { Suppression, SuppressionSchema } from './suppressions/suppression.schema';
import { SuppressionsRepository } from './suppressions/suppressions.repository';

const EXPORTED = [
  AutoRepliesRepository,
  AutoReplyRequests,
  ConsentDecisions,
  ConsentNumbers,
  ConsentRecords,
  ConsentSettingsService,
  NumberKeys,
  SuppressionsRepository,
];

/** What the people that an account writes to have agreed to: their words, their blocks, and a record of both. */
@Module({
  imports: [
    AuthModule,
    EncryptionModule,
    MessagesModule,
    MongooseModule.forFeature([
      { name: AutoReply.name, schema: AutoReplySchema },
      { name: ConsentRecord.name, schema: ConsentRecordSchema },
      { name: Suppression.name, schema: SuppressionSchema },
    ]),
  ],
  providers: [...EXPORTED, ConsentRecordsRepository],
  exports: EXPORTED,
})
export class ConsentModule {}
