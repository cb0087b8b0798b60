import { Module } from '@nestjs/common';
import { BullModule } from '@nestjs/bull';
import { registerQueue } from '../../infrastructure/queues/register-queue';
import { DISPATCH_QUEUE, DispatchQueue } from './dispatch.queue';

/** The queue of the jobs that dispatch waves. How a send is split into waves is pure: `wave-plan.ts`. */
@Module({
  imports: [registerQueue(DISPATCH_QUEUE)],
  providers: [DispatchQueue],
  exports: [DispatchQueue, BullModule],
})
export class WavesModule {}
