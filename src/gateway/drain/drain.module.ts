import { Module } from '@nestjs/common';
import { DevicesModule } from '../../devices/devices.module';
import { MessagesModule } from '../../messages/messages.module';
import { DrainRepository } from './drain.repository';
import { DrainService } from './drain.service';

/** Stops a phone from taking new messages, and tells when it has none left. */
@Module({
  imports: [DevicesModule, MessagesModule],
  providers: [DrainRepository, DrainService],
  exports: [DrainRepository, DrainService],
})
export class DrainModule {}
