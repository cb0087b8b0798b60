import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Time } from '../../../../common/http/responses/fields';
import { STEP_CODES, type StepCode } from '../sentences';
import { StepFactsResponse } from './step-facts.response';
import type { Step } from '../steps';

class StepResponse {
  @Time('When it happened or is due; the time of the answer for what is the case now')
  at!: Date;

  @ApiProperty({
    enum: [...STEP_CODES],
    description: 'What it is about, for programs',
    example: 'handed_over',
  })
  code!: StepCode;

  @ApiProperty({
    description: 'What it is about, for people, made from `code` and `facts`; may change',
    example: 'It was handed to Pixel 8 over its connection to the service.',
  })
  text!: string;

  @ApiProperty({
    description: 'What `text` is made from, for programs and for texts in other languages',
    example: { phone: 'Pixel 8', transport: 'stream', attempts: 1 },
  })
  facts!: StepFactsResponse;

  @ApiPropertyOptional({
    description: 'Webhook delivery it is about, as in the delivery history',
    example: '665f1c2ab7e1d4a9c0f3e818',
  })
  deliveryId?: string;
}

export class ExplanationResponse {
  @ApiProperty({ type: [StepResponse], description: 'What happened, in order, and what is the case now' })
  steps!: StepResponse[];
}

export const toExplanationResponse = (steps: readonly Step[]): ExplanationResponse => ({
  steps: steps.map(({ delivery, ...step }) => ({ ...step, deliveryId: delivery?.toHexString() })),
});
