import { Module } from '@nestjs/common';
import { ConsentModule } from '../../consent/consent.module';
import { SendsModule } from '../sends/sends.module';
import { AutoReplySender } from './auto-reply-sender.service';

/** Answers STOP, START and HELP. */
@Module({
  imports: [ConsentModule, SendsModule],
  providers: [AutoReplySender],
  exports: [AutoReplySender],
})
export class AutoRepliesModule {}
