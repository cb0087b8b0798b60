import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Id, OptionalTime, Time } from '../../../common/http/responses/fields';
import {
  CHOICE_REASONS,
  NO_CHOICE_REASONS,
  POOL_STRATEGIES,
  type PoolStrategy,
  REJECTION_REASONS,
  type RejectionReason,
  type SimChoice,
} from '../../../devices/sims/pools/choose-sim';
import type { PoolSimulation } from '../pool-simulation.service';
import type { PoolCandidate } from '../../senders/pool-view';
import { type PoolWithDefault, rulesOf } from '../pools.service';

const ID = '665f1c2ab7e1d4a9c0f3e812';

export class PoolResponse {
  @Id('Pool id')
  _id!: string;

  @ApiProperty({ description: 'Name', example: 'Orders' })
  name!: string;

  @ApiProperty({ type: [String], description: 'Ids of its SIMs', example: [ID] })
  sims!: string[];

  @ApiProperty({ enum: POOL_STRATEGIES, enumName: 'PoolStrategy', description: 'How a SIM is chosen' })
  strategy!: PoolStrategy;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description: "By prefix of the recipient's number: the SIMs that may send there",
    example: { '+49': [ID] },
  })
  countries?: Record<string, string[]>;

  @ApiProperty({ description: 'Whether it takes the sends that name neither a device nor a pool' })
  isDefault!: boolean;

  @Time('When it was created')
  createdAt!: Date;

  @Time('When it was last changed')
  updatedAt!: Date;
}

export function toPoolResponse({ pool, isDefault }: PoolWithDefault): PoolResponse {
  const { _id, name, sims, strategy, createdAt, updatedAt } = pool;
  return {
    _id: _id.toHexString(),
    name,
    sims: sims.map(String),
    strategy,
    countries: rulesOf(pool),
    isDefault,
    createdAt,
    updatedAt,
  };
}

class PoolRejectionResponse {
  @Id('SIM id')
  sim!: string;

  @ApiProperty({ enum: REJECTION_REASONS, description: 'Why it cannot send the message now' })
  reason!: RejectionReason;

  @ApiProperty({ description: 'Why, as a sentence', example: 'Its device is not online' })
  text!: string;

  @OptionalTime('When the reason ends; absent if that is not known')
  until?: Date;
}

export class PoolSimulationResponse {
  @ApiPropertyOptional({
    type: String,
    description: 'Id of the SIM that would send the message; absent if it would wait',
    example: ID,
  })
  sim?: string;

  @ApiPropertyOptional({ type: String, description: 'Device of that SIM', example: ID })
  device?: string;

  @ApiProperty({
    enum: [...CHOICE_REASONS, ...NO_CHOICE_REASONS],
    description: 'Why that SIM, or why none: of the SIMs that cannot, the reason that ends first',
  })
  reason!: SimChoice<PoolCandidate>['reason'];

  @ApiProperty({ description: 'Why, as a sentence', example: 'The recipient last heard from it' })
  text!: string;

  @OptionalTime('When the first SIM can send it, if none can now and that is known')
  until?: Date;

  @ApiProperty({ type: [PoolRejectionResponse], description: 'The SIMs that cannot send the message now' })
  unavailable!: PoolRejectionResponse[];
}

export const toPoolSimulationResponse = (simulation: PoolSimulation): PoolSimulationResponse => ({
  sim: simulation.choice.sim?.id,
  device: simulation.choice.sim?.device._id.toHexString(),
  reason: simulation.choice.reason,
  text: simulation.text,
  until: simulation.choice.sim ? undefined : simulation.choice.until,
  unavailable: simulation.rejections.map(({ sim, reason, text, until }) => ({ sim, reason, text, until })),
});
