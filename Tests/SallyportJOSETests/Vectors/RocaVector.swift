/// An RSA key of 2048 bits whose primes have the form `k * M + 65537^a mod M`, where `M` is the product of the first 126
/// primes, as in keys that the ROCA attack can factor (CVE-2017-15361). It was generated for this test.
enum RocaVector {
    static let jsonWebKey = """
        {"kty":"RSA","e":"AQAB","n":"lZ5aqvVrvBnWH_fEUPfDMKj2erRt0j6UGix6I3RnZHvXhxNTD5WohP8iUwb5EpZkYivTRN5\
        5To4IVrxP6OVC0fu4kM9hT1v2hAnvb_Si64mGN0gaCfL321ezUDGgL0zWMMCL4x_GbFpCwJlLUPxYYBgBJWIMh22W3YZfVj_3a-L\
        tHjrMYwmcR3oZtIQ9iLt2fTkLJJKltWafREUiHHm7j4nk8YPXzZpy728U2ulQyGSR2PXmaYx3tMQLP33wJo6vB4jUgEgrVYVAeoL\
        HtQo0vcq0YZtwwoO-HscYjX-WYCO5GTgOZVI9t0B7IKF9d6gUpW8HarglQQF3fit2GEIxIw","d":"RVMQM7JvbsKR4lINFm8Wc8\
        92FTjQwd_ZA5-kIBVparevD5k2nTv8z1Lf9pR-h8xDSvF_fKOQlYNd_cJXTFQd9-mohQBx2DGGMXvhA4DYlEYueCLiXcXEbk9eeE\
        PmMsRpYkF1D5HDgKT51P-yVB34XN4Cee3KXF28z3vZZL9SxxuyDoEAnsyuKzSDsA8iBBp1utV29o5ni4HNeAV8TP76_9qvqZF8rK\
        Hu83gDrd45eC3s3iIOqKh3sFRIhB-W-1G0w7yq720PrWjYDM3SXgcKHIVNzOwpthaJ1btM0mVws5w11uQeqDBeklk1fF2ttYM4qd\
        pq4xzcn30PmkUU_Y6kEQ","p":"seu-Dqm7h2UCKIUBwOdCwPXzz3UpxhGF1Eb8iSN-rVghds98fWAFW42hQE_yGVUyLS8EzkNV8\
        DIsG85J8A19d7qdkhv6XPmI4cjq4oDm7_zpcjMYalBk52C-2vOvyn9f3a7EO4TwQrq3dvcAognrNU0arJCS9VvejmDc1h_W7bc",\
        "q":"10cIJ6m26jXkDA6fuR4R7RMJqkJbuJ_nh3IjjSHS8X7EJBx0dV7xI4s5KE8gf3FhhxOaBIRfOpEca_Crzhj11UaIkQOBUuq\
        OxzfB0ZQqe-ApdFdVH9HFRihDd_E7zGiffh1l7yIDiSbs74uUqoFFlGOVYaJavV9Y6DWqWtF01_U"}
        """

    static let pem = """
        -----BEGIN PRIVATE KEY-----
        MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQCVnlqq9Wu8GdYf
        98RQ98MwqPZ6tG3SPpQaLHojdGdke9eHE1MPlaiE/yJTBvkSlmRiK9NE3nlOjghW
        vE/o5ULR+7iQz2FPW/aECe9v9KLriYY3SBoJ8vfbV7NQMaAvTNYwwIvjH8ZsWkLA
        mUtQ/FhgGAElYgyHbZbdhl9WP/dr4u0eOsxjCZxHehm0hD2Iu3Z9OQskkqW1Zp9E
        RSIcebuPieTxg9fNmnLvbxTa6VDIZJHY9eZpjHe0xAs/ffAmjq8HiNSASCtVhUB6
        gse1CjS9yrRhm3DCg74exxiNf5ZgI7kZOA5lUj23QHsgoX13qBSlbwdquCVBAXd+
        K3YYQjEjAgMBAAECggEARVMQM7JvbsKR4lINFm8Wc892FTjQwd/ZA5+kIBVparev
        D5k2nTv8z1Lf9pR+h8xDSvF/fKOQlYNd/cJXTFQd9+mohQBx2DGGMXvhA4DYlEYu
        eCLiXcXEbk9eeEPmMsRpYkF1D5HDgKT51P+yVB34XN4Cee3KXF28z3vZZL9Sxxuy
        DoEAnsyuKzSDsA8iBBp1utV29o5ni4HNeAV8TP76/9qvqZF8rKHu83gDrd45eC3s
        3iIOqKh3sFRIhB+W+1G0w7yq720PrWjYDM3SXgcKHIVNzOwpthaJ1btM0mVws5w1
        1uQeqDBeklk1fF2ttYM4qdpq4xzcn30PmkUU/Y6kEQKBgQCx674OqbuHZQIohQHA
        50LA9fPPdSnGEYXURvyJI36tWCF2z3x9YAVbjaFAT/IZVTItLwTOQ1XwMiwbzknw
        DX13up2SG/pc+YjhyOrigObv/OlyMxhqUGTnYL7a86/Kf1/drsQ7hPBCurd29wCi
        Ces1TRqskJL1W96OYNzWH9bttwKBgQDXRwgnqbbqNeQMDp+5HhHtEwmqQlu4n+eH
        ciONIdLxfsQkHHR1XvEjizkoTyB/cWGHE5oEhF86kRxr8KvOGPXVRoiRA4FS6o7H
        N8HRlCp74Cl0V1Uf0cVGKEN38TvMaJ9+HWXvIgOJJuzvi5SqgUWUY5Vholq9X1jo
        Napa0XTX9QKBgGmk8ws92W4BmhB5OZtTNh3hbM2oYg+L5A0xwU2k19kR1Xz4opDH
        bSb5p9/KGJTWM58EpjPbY7Hl+K7iBKEXQYLQOjPBjR2bxZ1bcazgoT+qyurWUA8A
        gYmptmnH/H+etkupNDerLgZRXBK1g5izjwftKoOArOInlLSx6y7xZOttAoGAZUpy
        t9bOzdyVdGbdGEjhvl6ayZV3eqMiWUSHHbyweBhhSWxqD1+grkyvlBvG+q/qZ5f9
        e+qcs/3bFZ6j99Eeuj75uuGfU9gxXeMKOwYwByEt4CPHVbVp0NzZAfJrZH5FrR0/
        /QhQCZRbH0rZpHA2wN8qRkoRz9CxEHFPunObOpECgYALQSt9MPR8kA0TSK3sOcx6
        +RdxZEZ/4/f/VbXJxrXrxO2IpirAYY0yQeUWSNkMUWLrSJunum3s+jMK87E5UPPo
        TQYJ8aGj+rxe51GUCr83yIw5cC+25qC2cIyTZ3SRIHfkCof54QwcP40fj3EX+UCe
        2Hb528vToBNB4C0XVIHB+g==
        -----END PRIVATE KEY-----
        """
}
