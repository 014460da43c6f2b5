extension HttpClient {
    /// When this client sends a request again that says nothing of it.
    package var retry: RetryPolicy? { configuration.retry }
}
