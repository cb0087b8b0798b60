import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Id, OptionalId, OptionalTime, Time } from '../../../common/http/responses/fields';
import { simTitleOf } from '../../../devices/sims/sim-name';
import { LOOP_REASONS, LOOP_RESULTS, type LoopReason, type LoopResult } from '../loop-test-rules';
import type { LoopTestView } from '../loop-tests.service';

class LoopTestSim {
  @Id('SIM id')
  _id!: string;

  @ApiProperty({ description: 'Its label, number, or network and slot', example: 'Work' })
  name!: string;

  @ApiPropertyOptional({ description: 'Its number', example: '+447700900123' })
  phoneNumber?: string;

  @OptionalId('The phone that it is or was in')
  device?: string;

  @ApiProperty({ description: 'Whether it is in the phone now' })
  isPresent!: boolean;
}

class LoopTestDirection {
  @Id('The SIM that sends')
  from!: string;

  @Id('The SIM that is to receive')
  to!: string;

  @OptionalId('The message; absent until the send is accepted')
  message?: string;

  @ApiProperty({
    enum: LOOP_RESULTS,
    enumName: 'LoopTestResult',
    description: 'What has become of the text: lost if it did not arrive within ten minutes',
  })
  result!: LoopResult;

  @ApiPropertyOptional({
    enum: LOOP_REASONS,
    enumName: 'LoopTestReason',
    description:
      'Why it did not arrive. not_received: it was sent and receiving is on; where the two numbers have an RCS chat, it swallows texts',
  })
  reason?: LoopReason;

  @ApiPropertyOptional({
    description: 'Seconds from the hand-over to the phone until the text was stored',
    example: 4.3,
  })
  seconds?: number;

  @ApiPropertyOptional({ description: 'Why the send was refused, for people' })
  refusal?: string;
}

class LoopTestRun {
  @Id('Run id')
  _id!: string;

  @Time('When it started')
  startedAt!: Date;

  @OptionalTime('When its results were known; absent while it runs')
  endedAt?: Date;

  @ApiProperty({ type: LoopTestDirection, isArray: true, description: 'One for each direction' })
  directions!: LoopTestDirection[];
}

export class LoopTestResponse {
  @ApiProperty({ type: LoopTestSim, isArray: true, description: 'The two SIMs; empty if none are chosen' })
  sims!: LoopTestSim[];

  @ApiProperty({ description: 'Whether a test runs each night' })
  nightly!: boolean;

  @ApiProperty({ type: 'integer', description: 'The hour of it, in UTC', example: 3 })
  nightlyHour!: number;

  @OptionalTime('When the next nightly test runs')
  nextRunAt?: Date;

  @ApiPropertyOptional({ description: 'The last test' })
  run?: LoopTestRun;
}

export function toLoopTestResponse({ sims, nightlyHour, nextRunAt, run }: LoopTestView): LoopTestResponse {
  return {
    sims: sims.map((sim) => ({
      _id: sim._id.toHexString(),
      name: simTitleOf(sim),
      ...(sim.phoneNumber !== undefined && { phoneNumber: sim.phoneNumber }),
      ...(sim.device && { device: sim.device.toHexString() }),
      isPresent: sim.isPresent,
    })),
    nightly: nextRunAt !== undefined,
    nightlyHour,
    ...(nextRunAt && { nextRunAt }),
    ...(run && {
      run: {
        _id: run.id.toHexString(),
        startedAt: run.startedAt,
        ...(run.endedAt && { endedAt: run.endedAt }),
        directions: run.legs.map(({ from, to, message, result = 'waiting', reason, seconds, refusal }) => ({
          from: from.toHexString(),
          to: to.toHexString(),
          ...(message && { message: message.toHexString() }),
          result,
          ...(reason && { reason }),
          ...(seconds !== undefined && { seconds }),
          ...(refusal !== undefined && { refusal }),
        })),
      },
    }),
  };
}
