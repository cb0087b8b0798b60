import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsString, MaxLength } from 'class-validator';
import {
  IsDictionary,
  NullableField,
  OptionalBoolean,
  OptionalField,
  UniqueName,
} from '../../../common/http/requests/fields';
import { OptionalChoice } from '../../../common/http/requests/query-fields';
import { UnsuggestedFields } from '../../../common/http/requests/request-shape';
import { POOL_STRATEGIES, type PoolStrategy } from '../../../devices/sims/pools/choose-sim';
import { MAX_PREFIXES, MAX_SIMS_PER_POOL } from '../pool-input';

const MAX_RECIPIENT_LENGTH = 64;
const ID = '665f1c2ab7e1d4a9c0f3e812';

const SIMS_SCHEMA = {
  type: String,
  isArray: true,
  minItems: 1,
  maxItems: MAX_SIMS_PER_POOL,
  description: 'Ids of SIMs of the account',
  example: [ID],
};
const STRATEGY_SCHEMA = {
  enum: POOL_STRATEGIES,
  enumName: 'PoolStrategy',
  description:
    'sticky: recipients keep hearing from the same SIM; round-robin: SIMs take turns; least-loaded: the SIM that has sent it first. Defaults to sticky',
};

const Sims = () => applyDecorators(IsArray(), ArrayMinSize(1), ArrayMaxSize(MAX_SIMS_PER_POOL));
const Strategy = () =>
  applyDecorators(
    ApiPropertyOptional(STRATEGY_SCHEMA),
    OptionalField(),
    IsIn(POOL_STRATEGIES, { message: `$property must be one of ${POOL_STRATEGIES.join(', ')}` }),
  );
const Countries = (description: string) =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'object',
      nullable: true,
      maxProperties: MAX_PREFIXES,
      additionalProperties: { type: 'array', items: { type: 'string' } },
      description: `By prefix of the recipient's number: the SIMs of the pool that may send there; the longest prefix applies. Numbers without a rule may use any SIM, those with an empty list none. ${description}`,
      example: { '+49': [ID] },
    }),
    NullableField(),
    IsDictionary(MAX_PREFIXES, MAX_SIMS_PER_POOL),
  );
const IS_DEFAULT =
  'true: it takes the sends that name neither a device nor a pool, instead of the pool that did so far';

@UnsuggestedFields()
export class PoolRequest {
  @UniqueName('Orders')
  name!: string;

  @ApiProperty(SIMS_SCHEMA)
  @Sims()
  sims!: string[];

  @Strategy()
  strategy?: PoolStrategy;

  @Countries('At most 1,000 ids')
  countries?: Record<string, string[]> | null;

  @OptionalBoolean(IS_DEFAULT)
  isDefault?: boolean;
}

/** Absent fields stay unchanged. */
export class PoolPatchRequest {
  @UniqueName('Orders', { isOptional: true })
  name?: string;

  @ApiPropertyOptional({ ...SIMS_SCHEMA, description: `${SIMS_SCHEMA.description}. Replaces the list` })
  @OptionalField()
  @Sims()
  sims?: string[];

  @Strategy()
  strategy?: PoolStrategy;

  @Countries('At most 1,000 ids. Replaces all rules; null removes them')
  countries?: Record<string, string[]> | null;

  @OptionalBoolean(`${IS_DEFAULT}. false: no longer`)
  isDefault?: boolean;
}

export class PoolDeletionQuery {
  @OptionalChoice(
    'What becomes of messages that wait in the pool. keep: they stay with their SIMs, and no longer move to others',
    ['keep'],
  )
  pending?: 'keep';
}

export class PoolSimulationRequest {
  @ApiProperty({
    type: String,
    maxLength: MAX_RECIPIENT_LENGTH,
    description: 'Number of the recipient',
    example: '+447700900123',
  })
  @IsString()
  @MaxLength(MAX_RECIPIENT_LENGTH)
  recipient!: string;
}
