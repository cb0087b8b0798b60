import { ApiProperty } from '@nestjs/swagger';
import { Count, Id, OptionalId, OptionalTime } from '../../../../common/http/responses/fields';
import { HeldBackResponse } from '../../../batches/http/held-back.response';
import { MAX_QUEUE_MESSAGES } from '../send-queue.repository';

const Messages = () => Count('Messages that wait on the server', 120);
const Parts = () => Count('Their SMS parts; an end-to-end encrypted text counts with its largest size', 240);

export class SimQueueResponse {
  @Id('Device that sends them')
  device!: string;

  @OptionalId('SIM that sends them; absent if the phone chooses, or the SIM that was named is not in it')
  sim?: string;

  @Messages()
  messages!: number;

  @Parts()
  parts!: number;

  @ApiProperty({ type: [HeldBackResponse], description: 'Those that may not leave now, by the reason' })
  heldBack!: HeldBackResponse[];

  @OptionalTime(
    'When those are sent that do not wait for an event without a time; absent if there are none, or it cannot be told',
  )
  endsAt?: Date;
}

export class QueueResponse {
  @Messages()
  messages!: number;

  @Parts()
  parts!: number;

  @OptionalTime('When the last SIM ends; absent if none does')
  endsAt?: Date;

  @ApiProperty({
    description: `Whether more messages may wait: the ${MAX_QUEUE_MESSAGES.toLocaleString('en')} that are due first are counted`,
  })
  isLowerBound!: boolean;

  @ApiProperty({ type: [SimQueueResponse], description: 'By SIM, the one with the most messages first' })
  sims!: SimQueueResponse[];
}
