const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function bytes(count: number): string {
  const step = count < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(count) / 10));
  const value = count / 1024 ** step;
  return `${step === 0 ? String(value) : value.toFixed(value < 10 ? 1 : 0)} ${UNITS[step]}`;
}

export function duration(seconds: number): string {
  if (seconds < 60) {
    return `${Math.floor(seconds)} s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    return `${minutes} min`;
  }
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d`;
}
