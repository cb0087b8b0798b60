import { useEffect, useState } from 'react';
import { type Preview, UnreadableFile } from './preview-problem';

/** A chosen file, or pasted text. */
export interface ChosenFile {
  /** Absent for pasted text. */
  readonly name?: string;
  readonly blob: Blob;
}

/** A file with how it is read, and its beginning. */
export function useImportFile() {
  const [file, setFile] = useState<ChosenFile>();
  const [encoding, setEncoding] = useState<string>();
  const [hasHeader, setHasHeader] = useState<boolean>();
  const [preview, setPreview] = useState<Preview>();
  const [problem, setProblem] = useState<UnreadableFile>();
  useEffect(() => {
    let isCurrent = true;
    if (!file) return;
    // What reads files comes with the first one.
    const read = import('./preview').then(({ readPreview }) => readPreview(file.blob, encoding, hasHeader));
    read.then(
      (found) => {
        if (!isCurrent) return;
        setPreview(found);
        setProblem(undefined);
      },
      (error: unknown) => {
        if (!isCurrent) return;
        setPreview(undefined);
        setProblem(error instanceof UnreadableFile ? error : new UnreadableFile('noText'));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [file, encoding, hasHeader]);
  const choose = (chosen: ChosenFile | undefined) => {
    setFile(chosen);
    setEncoding(undefined);
    setHasHeader(undefined);
    setPreview(undefined);
    setProblem(undefined);
  };
  return { file, choose, encoding, setEncoding, hasHeader, setHasHeader, preview, problem };
}
