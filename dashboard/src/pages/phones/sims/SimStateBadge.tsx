import { Badge } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type Device, type Sim, simState } from '../../../components/phones/phone';

const SIM_STATES = { closed: 'teal', 'half-open': 'yellow', open: 'red', disabled: 'gray' } as const;

export function SimStateBadge({ sim, device }: { readonly sim: Sim; readonly device: Device }) {
  const { t } = useTranslation();
  const state = simState(sim, device);
  return (
    <Badge variant="light" color={SIM_STATES[state]} tt="none" style={{ flexShrink: 0 }}>
      {t(`phones.sims.state.${state}`)}
    </Badge>
  );
}
