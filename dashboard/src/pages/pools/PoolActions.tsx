import { ActionIcon, Menu } from '@mantine/core';
import { IconDotsVertical, IconPencil, IconStar, IconStarOff, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listPoolsOptions, updatePoolMutation } from '../../../generated/@tanstack/react-query.gen';
import { useReadAgain } from '../../api/read-again';
import { showUndo } from '../../components/notify';
import { DeletePoolModal } from './DeletePoolModal';
import type { Pool } from './pool';
import { PoolEditor } from './PoolEditor';

/** Everything that can be done with a pool. */
export function PoolActions({ pool }: { readonly pool: Pool }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<'edit' | 'remove'>();
  const refresh = useReadAgain('device', 'sim', 'pool');
  const pools = useQuery(listPoolsOptions());
  const update = useMutation({ ...updatePoolMutation(), onSuccess: refresh });
  const { name, isDefault } = pool;
  const path = { id: pool._id };
  const setDefault = () => {
    const previous = pools.data?.data.find((other) => other.isDefault);
    const undo = () =>
      previous && !isDefault
        ? update.mutate({ path: { id: previous._id }, body: { isDefault: true } })
        : update.mutate({ path, body: { isDefault } });
    const message = isDefault ? t('pools.endedDefault', { name }) : t('pools.madeDefault', { name });
    update.mutate({ path, body: { isDefault: !isDefault } }, { onSuccess: () => showUndo(message, undo) });
  };
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t('pools.actions', { name })}>
            <IconDotsVertical size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setOpen('edit')}>
            {t('pools.edit')}
          </Menu.Item>
          <Menu.Item
            leftSection={isDefault ? <IconStarOff size={16} /> : <IconStar size={16} />}
            // Undoing it needs to know the pool that is the default now.
            disabled={!pools.data}
            onClick={setDefault}
          >
            {isDefault ? t('pools.endDefault') : t('pools.makeDefault')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => setOpen('remove')}>
            {t('pools.remove.action')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {open === 'edit' && <PoolEditor pool={pool} onClose={() => setOpen(undefined)} />}
      {open === 'remove' && <DeletePoolModal pool={pool} onClose={() => setOpen(undefined)} />}
    </>
  );
}
