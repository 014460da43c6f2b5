#if !(PostgreSQL && os(Linux))

import SallyportStorage

/// A PostgreSQL database with the records of a fleet. Requires Linux and the package trait `PostgreSQL`.
@available(*, unavailable, message: "enable Sallyport's package trait PostgreSQL, on Linux")
public enum PostgresDatabase {}

/// Stores a record in a row of a PostgreSQL database. Requires Linux and the package trait `PostgreSQL`.
@available(*, unavailable, message: "enable Sallyport's package trait PostgreSQL, on Linux")
public enum PostgresRecordStore<Record: StoredRecord> {}

#endif
