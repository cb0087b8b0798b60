import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Time } from '../../common/http/responses/fields';
import { type Step, STEP_CODES, type StepCode } from './steps';

class StepResponse {
  @Time('When it happened or is due; the time of the answer for what is the case now')
  at!: Date;

  @ApiProperty({
    enum: STEP_CODES,
    description: 'What it is about, for programs',
    example: 'handed_over',
  })
  code!: StepCode;

  @ApiProperty({
    description: 'What it is about, for people; may change',
    example: 'It was handed to Pixel 8 over its stream.',
  })
  text!: string;

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
