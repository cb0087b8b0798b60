import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { DevicesModule } from '../../devices/devices.module';
import { MessagesModule } from '../../messages/messages.module';
import { SendsModule } from '../sends/sends.module';
import { LoopMessagesRepository } from './loop-messages.repository';
import { LoopTest, LoopTestSchema } from './loop-test.schema';
import { LoopTestRunner } from './loop-test-runner.service';
import { LoopTestsRepository } from './loop-tests.repository';
import { LoopTestsService } from './loop-tests.service';

/** Texts between two SIMs of an account, which show that both send and receive. */
@Module({
  imports: [
    DevicesModule,
    MessagesModule,
    SendsModule,
    MongooseModule.forFeature([{ name: LoopTest.name, schema: LoopTestSchema }]),
  ],
  providers: [LoopMessagesRepository, LoopTestRunner, LoopTestsRepository, LoopTestsService],
  exports: [LoopTestRunner, LoopTestsService],
})
export class LoopTestsModule {}
