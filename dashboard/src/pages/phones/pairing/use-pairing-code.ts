import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getDeviceOptions, getPairingCodeOptions } from '../../../../generated/@tanstack/react-query.gen';
import { createPairingCode } from '../../../../generated/sdk.gen';
import type { NewPairingCodeResponse } from '../../../../generated/types.gen';
import { showSuccess } from '../../../components/notify';
import { phoneName } from '../../../components/phones/phone';

export type PairingCode = NewPairingCodeResponse;

/** Besides the hints of the event stream, which say nothing of codes. */
const POLL_MS = 2_000;

/** A code that is made when the window opens. `renew` makes another one. */
export function usePairingCode() {
  const [round, setRound] = useState(0);
  const { data, error } = useQuery({
    queryKey: ['pairing-code', round],
    queryFn: async () => (await createPairingCode({ body: {}, throwOnError: true })).data.data,
    // Each read makes a code, and the one that is shown is being typed.
    staleTime: 'static',
    refetchInterval: false,
    gcTime: 0,
    retry: false,
  });
  usePairedPhone(data?.id);
  return { code: data, error, renew: () => setRound((before) => before + 1) };
}

/** Turns to the phone that uses the code. */
function usePairedPhone(codeId: string | undefined): void {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const progress = useQuery({
    ...getPairingCodeOptions({ path: { id: codeId ?? '' } }),
    enabled: codeId !== undefined,
    refetchInterval: POLL_MS,
  });
  const id = progress.data?.data.device;
  const device = useQuery({ ...getDeviceOptions({ path: { id: id ?? '' } }), enabled: id !== undefined });
  const paired = device.data?.data;
  useEffect(() => {
    if (!paired) return;
    showSuccess(t('pairing.done', { name: phoneName(paired) }));
    void navigate({ to: '/phones/$id', params: { id: paired._id }, search: { paired: true } });
  }, [paired, navigate, t]);
}
