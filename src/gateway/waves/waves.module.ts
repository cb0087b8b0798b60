import { Module } from '@nestjs/common';
import { BullModule } from '@nestjs/bull';
import { registerQueue } from '../../infrastructure/queues/register-queue';
import { MessagesModule } from '../../messages/messages.module';
import { DISPATCH_QUEUE, DispatchQueue } from './dispatch.queue';
import { WavesRepository } from './waves.repository';

/** Waves: which are due, and the queue of the jobs that dispatch them. How a send is split into waves is pure: `wave-plan.ts`. */
@Module({
  imports: [MessagesModule, registerQueue(DISPATCH_QUEUE)],
  providers: [DispatchQueue, WavesRepository],
  exports: [BullModule, DispatchQueue, WavesRepository],
})
export class WavesModule {}
