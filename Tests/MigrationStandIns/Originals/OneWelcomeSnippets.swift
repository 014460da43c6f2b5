import Foundation
import OneginiSDKiOS

// The Swift blocks of Docs/Guides.docc/Migrating-from-OneWelcome.md that use the OneWelcome SDK.

func accounts() {
    let request = ResourceRequestFactory.makeResourceRequest(path: "accounts", method: .get, parameters: ["page": 2])
    SharedUserClient.instance.sendAuthenticatedRequest(request) { response, error in
        guard let response, response.statusCode < 400, let data = response.data else { return print(error as Any) }
        print(data.count)
    }
}

func greeting() {
    let request = ResourceRequestFactory.makeResourceRequest(path: "greeting")
    SharedUserClient.instance.sendImplicitRequest(request) { response, error in
        print(response?.statusCode ?? 0, error as Any)
    }
}

func assets() {
    let assets = ResourceRequestFactory.makeResourceRequest(path: "assets")
    SharedDeviceClient.instance.sendAuthenticatedRequest(assets) { response, error in
        print(response?.statusCode ?? 0, error as Any)
    }
    let news = ResourceRequestFactory.makeResourceRequest(path: "public")
    SharedDeviceClient.instance.sendUnauthenticatedRequest(news) { response, error in
        print(response?.statusCode ?? 0, error as Any)
    }
}

func photo(data: Data) {
    let photo = MultipartData(data: data, name: "photo", fileName: "me.jpg", mimeType: "image/jpeg")
    let request = ResourceRequestFactory.makeMultipartResourceRequest(
        path: "photos",
        method: .post,
        parameters: ["title": "Rome"],
        multipartData: [photo]
    )
    SharedUserClient.instance.sendAuthenticatedRequest(request) { response, error in
        print(response?.statusCode ?? 0, error as Any)
    }
}

func failed(_ error: any Error) -> Bool {
    let error = error as NSError
    let mustSignIn =
        error.domain == ONGFetchResourceErrorDomain && error.code == ONGFetchResourceError.userNotAuthenticated.rawValue
    return mustSignIn
}
